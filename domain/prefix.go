package domain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Prefix selects names by their beginning. The zero Prefix selects every name.
type Prefix struct{ text string }

// NewPrefix returns the prefix that text spells; an empty text selects every name. It returns ErrInvalidName when text is
// longer than [MaxBytes], holds a NUL or is not UTF-8.
func NewPrefix(text string) (Prefix, error) {
	if fault := unstorable(text); fault != "" {
		return Prefix{}, fmt.Errorf("%w: the prefix %s", ErrInvalidName, fault)
	}
	return Prefix{text}, nil
}

// Range returns the names that have the prefix, as a half-open range in byte order: from is the first, and end is the
// first text beyond.
func (p Prefix) Range() (from, end string) { return p.text, successor(p.text) }

// Covers reports whether the name has the prefix.
func (p Prefix) Covers(name Name) bool { return strings.HasPrefix(name.text, p.text) }

// beyondEveryName comes after every name in byte order: the largest rune, once more than a name has room for.
var beyondEveryName = strings.Repeat(string(utf8.MaxRune), MaxBytes/utf8.UTFMax+1)

// successor returns a text that comes in byte order after every name which begins with prefix, and after no other. The
// byte order of UTF-8 is the order of its runes, so the last rune that has a next one is moved on by one.
func successor(prefix string) string {
	for prefix != "" {
		last, size := utf8.DecodeLastRuneInString(prefix)
		prefix = prefix[:len(prefix)-size]
		if last < utf8.MaxRune {
			return prefix + string(nextRune(last))
		}
	}
	return beyondEveryName
}

// nextRune returns the rune after r in order, over the gap of the surrogates.
func nextRune(r rune) rune {
	if next := r + 1; utf8.ValidRune(next) {
		return next
	}
	return '\uE000'
}
