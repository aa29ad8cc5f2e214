package domain

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxBytes is the longest name, owner or prefix, in bytes (M5).
const MaxBytes = 255

// ReservedPrefix begins the names that the library keeps for itself (M5).
const ReservedPrefix = "namedlock:"

// Name is what is locked. Names are compared byte for byte: "a" and "A" are two locks, and so are two Unicode spellings
// of one character (M5). Only [NewName] and [RestoreName] make one; the zero Name is no name.
type Name struct{ text string }

// NewName returns the name that text spells. It returns ErrInvalidName when text is empty, all white space, longer than
// [MaxBytes], holds a NUL or is not UTF-8, and ErrReservedName when it begins with [ReservedPrefix] (L10, M5).
func NewName(text string) (Name, error) {
	if fault := faultOf(text); fault != "" {
		return Name{}, fmt.Errorf("%w: the name %s", ErrInvalidName, fault)
	}
	if strings.HasPrefix(text, ReservedPrefix) {
		return Name{}, fmt.Errorf("%w: names that begin with %q belong to the library", ErrReservedName, ReservedPrefix)
	}
	return Name{text}, nil
}

// RestoreName returns the name that a store has kept. It judges nothing: what is stored must load.
func RestoreName(text string) Name { return Name{text} }

// String returns the name as it was given, whole.
func (n Name) String() string { return n.text }

// Owner is who asks for a lock. It is a label, compared byte for byte: whoever gives the same owner is the same owner
// (L5). Only [NewOwner] and [RestoreOwner] make one; the zero Owner is nobody.
type Owner struct{ text string }

// NewOwner returns the owner that text spells. It returns ErrInvalidName when text is empty, all white space, longer than
// [MaxBytes], holds a NUL or is not UTF-8 (L10, M5). No owner is reserved.
func NewOwner(text string) (Owner, error) {
	if fault := faultOf(text); fault != "" {
		return Owner{}, fmt.Errorf("%w: the owner %s", ErrInvalidName, fault)
	}
	return Owner{text}, nil
}

// RestoreOwner returns the owner that a store has kept. It judges nothing: what is stored must load.
func RestoreOwner(text string) Owner { return Owner{text} }

// String returns the owner as it was given, whole.
func (o Owner) String() string { return o.text }

// faultOf says what is wrong with a name or an owner, and nothing when it is fine. The text itself is left out: it may be
// ten megabytes, or bytes that a terminal should not see.
func faultOf(text string) string {
	if strings.TrimSpace(text) == "" {
		return "is empty or all white space"
	}
	return unstorable(text)
}

// unstorable says why a text cannot be kept alike by every store.
func unstorable(text string) string {
	switch {
	case len(text) > MaxBytes:
		return fmt.Sprintf("is %d bytes long, more than %d", len(text), MaxBytes)
	case !utf8.ValidString(text):
		return "is not valid UTF-8"
	case strings.ContainsRune(text, 0):
		return "holds a NUL"
	}
	return ""
}
