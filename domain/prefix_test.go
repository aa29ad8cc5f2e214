package domain_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/alkstore/namedlock/domain"
)

func TestARangeEndsWithTheNextRune(t *testing.T) {
	for text, want := range map[string]string{
		"a":                      "b",
		"reports/":               "reports0",
		"a\u007f":                "a\u0080",
		"\u00e4":                 "\u00e5",
		"\u07ff":                 "\u0800",
		"a\ud7ff":                "a\ue000",
		"\uffff":                 "\U00010000",
		"🔒":                      "🔓",
		"a\U0010ffff":            "b",
		"a\U0010ffff\U0010ffff":  "b",
		"\ud7ff\U0010ffff":       "\ue000",
		"\U0010ffffa":            "\U0010ffffb",
		"\U0010ffff\x7f":         "\U0010ffff\u0080",
		strings.Repeat("z", 255): strings.Repeat("z", 254) + "{",
	} {
		from, end := prefix(t, text).Range()
		if from != text || end != want {
			t.Errorf("the range of %q is %q to %q, want its end to be %q", text, from, end, want)
		}
	}
}

func TestARangeWithoutANextRuneEndsBeyondEveryName(t *testing.T) {
	largest := strings.Repeat("\U0010ffff", 63) + "\uffff"
	if len(largest) != domain.MaxBytes {
		t.Fatalf("the largest name has %d bytes", len(largest))
	}
	for _, text := range []string{"", "\U0010ffff", strings.Repeat("\U0010ffff", 63), largest} {
		from, end := prefix(t, text).Range()
		if from != text || end != "" && end <= largest {
			t.Errorf("the range of %q is %q to %q, which leaves out the largest name", text, from, end)
		}
	}
}

func TestTheZeroPrefixCoversEveryName(t *testing.T) {
	if (domain.Prefix{}) != prefix(t, "") {
		t.Error("an empty text is not the zero Prefix")
	}
	for _, text := range []string{"a", "\x01", "🔒", "\U0010ffff", "namedlock:x"} {
		if !(domain.Prefix{}).Covers(domain.RestoreName(text)) {
			t.Errorf("the zero Prefix leaves out %q", text)
		}
	}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		prefix, name string
		want         bool
	}{
		{"a", "a", true},
		{"a", "ab", true},
		{"ab", "a", false},
		{"a", "A", false},
		{"a/", "a", false},
		{"\u00e4", "a\u0308", false},
		{"a_", "ab", false},
		{"a%", "ab", false},
		{"a*", "ab", false},
	}
	for _, test := range tests {
		if got := prefix(t, test.prefix).Covers(domain.RestoreName(test.name)); got != test.want {
			t.Errorf("%q covers %q: %v, want %v", test.prefix, test.name, got, test.want)
		}
	}
}

// SQL selects by the range, memory by the beginning: they must agree on every name that can be stored.
func TestCoversIsTheRange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	covered := 0
	for range 200_000 {
		text := word(random, 3)
		name := word(random, 4)
		if random.IntN(2) == 0 {
			name = text + name
		}
		p := prefix(t, text)
		from, end := p.Range()
		inRange := from <= name && (end == "" || name < end)
		if p.Covers(domain.RestoreName(name)) != inRange {
			t.Fatalf("prefix %q, name %q: covers %v, in the range %q to %q %v", text, name, !inRange, from, end, inRange)
		}
		if inRange {
			covered++
		}
	}
	if covered < 50_000 {
		t.Fatalf("only %d names were covered: the words are badly chosen", covered)
	}
}

// word returns up to most runes, chosen where an encoding grows, jumps or ends.
func word(random *rand.Rand, most int) string {
	edges := []rune("\x01/09az{\u007f\u0080\u07ff\u0800\ud7ff\ue000\ufffd\uffff\U00010000🔒🔓\U0010fffe\U0010ffff")
	var text strings.Builder
	for range random.IntN(most + 1) {
		text.WriteRune(edges[random.IntN(len(edges))])
	}
	return text.String()
}

func TestNewPrefixRefusesWhatNoNameBeginsWith(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 256), "a\x00", "\x00", "a\xff", "\xed\xa0\x80"} {
		if p, err := domain.NewPrefix(text); !errors.Is(err, domain.ErrInvalidName) || p != (domain.Prefix{}) {
			t.Errorf("NewPrefix(%.20q) is %v, %v; want ErrInvalidName", text, p, err)
		}
	}
}

func TestNewPrefixTakesWhatANameMayBeginWith(t *testing.T) {
	for _, text := range []string{"", " ", "\u3000", "namedlock:", strings.Repeat("x", 255), "\ufffd"} {
		prefix(t, text)
	}
}

func prefix(t *testing.T, text string) domain.Prefix {
	t.Helper()
	p, err := domain.NewPrefix(text)
	if err != nil {
		t.Fatalf("NewPrefix(%.20q): %v", text, err)
	}
	return p
}
