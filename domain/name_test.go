package domain_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/alkstore/namedlock/domain"
)

// texts are names and owners alike, with what is wrong with them.
var texts = map[string]struct {
	text string
	want error
}{
	"a word":                            {"reports", nil},
	"one byte":                          {"x", nil},
	"with blanks in and around it":      {" a b ", nil},
	"a path":                            {"reports/2024/nightly", nil},
	"255 bytes":                         {strings.Repeat("x", 255), nil},
	"256 bytes":                         {strings.Repeat("x", 256), domain.ErrInvalidName},
	"63 emoji and three bytes":          {strings.Repeat("🔒", 63) + "abc", nil},
	"64 emoji":                          {strings.Repeat("🔒", 64), domain.ErrInvalidName},
	"ten megabytes":                     {strings.Repeat("x", 10<<20), domain.ErrInvalidName},
	"ten megabytes of blanks":           {strings.Repeat(" ", 10<<20), domain.ErrInvalidName},
	"empty":                             {"", domain.ErrInvalidName},
	"a space":                           {" ", domain.ErrInvalidName},
	"spaces, tabs and line ends":        {" \t\r\n\v\f", domain.ErrInvalidName},
	"an ideographic space, U+3000":      {"\u3000", domain.ErrInvalidName},
	"a next line, U+0085":               {"\u0085", domain.ErrInvalidName},
	"a no-break space, U+00A0":          {"\u00a0", domain.ErrInvalidName},
	"a zero width space, U+200B":        {"\u200b", nil},
	"a byte order mark, U+FEFF":         {"\ufeff", nil},
	"a NUL":                             {"\x00", domain.ErrInvalidName},
	"a NUL at the end":                  {"a\x00", domain.ErrInvalidName},
	"a NUL inside":                      {"a\x00b", domain.ErrInvalidName},
	"a byte that is not UTF-8":          {"a\xff", domain.ErrInvalidName},
	"half a rune":                       {"a\xf0\x9f\x94", domain.ErrInvalidName},
	"a surrogate":                       {"\xed\xa0\x80", domain.ErrInvalidName},
	"a long form of a slash":            {"\xc0\xaf", domain.ErrInvalidName},
	"the replacement character, U+FFFD": {"\ufffd", nil},
	"the last rune, U+10FFFF":           {"\U0010ffff", nil},
	"a control character":               {"a\x01\x1b", nil},
	"the reserved prefix in capitals":   {"NAMEDLOCK:x", nil},
	"the reserved word without a colon": {"namedlock", nil},
	"the reserved prefix further on":    {"x/namedlock:y", nil},
	"the reserved prefix after a blank": {" namedlock:x", nil},
}

func TestNewName(t *testing.T) {
	for title, test := range texts {
		t.Run(title, func(t *testing.T) {
			name, err := domain.NewName(test.text)
			if !errors.Is(err, test.want) || errors.Is(err, domain.ErrDatabase) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			if want := kept(test.text, test.want); name.String() != want {
				t.Errorf("name is %.40q, want %.40q", name, want)
			}
		})
	}
}

func TestNewOwner(t *testing.T) {
	for title, test := range texts {
		t.Run(title, func(t *testing.T) {
			owner, err := domain.NewOwner(test.text)
			if !errors.Is(err, test.want) || errors.Is(err, domain.ErrDatabase) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			if want := kept(test.text, test.want); owner.String() != want {
				t.Errorf("owner is %.40q, want %.40q", owner, want)
			}
		})
	}
}

// kept is what a value shows that was made of text: all of it, or nothing.
func kept(text string, fault error) string {
	if fault != nil {
		return ""
	}
	return text
}

func TestReservedNames(t *testing.T) {
	for _, text := range []string{"namedlock:", "namedlock:x", "namedlock: ", "namedlock:ü"} {
		name, err := domain.NewName(text)
		if !errors.Is(err, domain.ErrReservedName) || errors.Is(err, domain.ErrInvalidName) || name != (domain.Name{}) {
			t.Errorf("NewName(%q) is %q, %v; want no name and ErrReservedName", text, name, err)
		}
		if owner, err := domain.NewOwner(text); err != nil || owner.String() != text {
			t.Errorf("NewOwner(%q) is %q, %v; no owner is reserved", text, owner, err)
		}
	}
}

func TestAReservedNameThatIsInvalidTooIsInvalid(t *testing.T) {
	for _, rest := range []string{"\x00", "\xff", strings.Repeat("x", 255)} {
		if _, err := domain.NewName("namedlock:" + rest); !errors.Is(err, domain.ErrInvalidName) {
			t.Errorf("error is %v, want ErrInvalidName", err)
		}
	}
}

// The text may be ten megabytes, or bytes that a terminal should not see.
func TestErrorsAboutTextsLeaveTheTextOut(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("secret", 10<<18),
		"secret\x00",
		"secret\xff",
		"namedlock:secret",
	} {
		_, ofName := domain.NewName(text)
		_, ofOwner := domain.NewOwner(text)
		_, ofPrefix := domain.NewPrefix(text)
		for _, err := range []error{ofName, ofOwner, ofPrefix} {
			if err != nil && (strings.Contains(err.Error(), "secret") || len(err.Error()) > 200) {
				t.Errorf("of %.20q the error tells %.200q", text, err)
			}
		}
	}
}

func TestErrorsAboutTextsSayWhichAndWhy(t *testing.T) {
	tests := map[string][]string{
		"":                       {"empty"},
		strings.Repeat("x", 256): {"256", "255"},
		"\xff":                   {"UTF-8"},
		"a\x00":                  {"NUL"},
	}
	for text, words := range tests {
		_, ofName := domain.NewName(text)
		_, ofOwner := domain.NewOwner(text)
		mentions(t, ofName, append(words, "the name")...)
		mentions(t, ofOwner, append(words, "the owner")...)
	}
}

func mentions(t *testing.T, err error, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not mention %q", err, word)
		}
	}
}

func TestNamesAreComparedByteForByte(t *testing.T) {
	spellings := []string{"a", "A", "a ", "\u00e4", "a\u0308", "\u212b", "\u00c5"}
	seen := map[domain.Name]string{}
	for _, text := range spellings {
		name, err := domain.NewName(text)
		if err != nil {
			t.Fatal(err)
		}
		if twin, found := seen[name]; found {
			t.Errorf("%q and %q are one name", text, twin)
		}
		seen[name] = text
	}
}
