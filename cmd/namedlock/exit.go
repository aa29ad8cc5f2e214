package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/manual"
)

// The codes of our own, from sysexits.h where it has a fitting one. Any other code is the command's.
const (
	codeNothing       = 1   // what was asked for is not there
	codeUsage         = 64  // EX_USAGE: nothing can be made of the command line
	codeOther         = 65  // EX_DATAERR: the lock is there, and it is not the one that was meant
	codeStore         = 69  // EX_UNAVAILABLE: the store cannot be used
	codeHeld          = 75  // EX_TEMPFAIL: somebody else holds the lock
	codeLost          = 76  // EX_PROTOCOL: the lock was lost
	codeNotExecutable = 126 // as in a shell
	codeNotFound      = 127 // as in a shell
	codeSignal        = 128 // plus the number of the signal, as in a shell
)

// meaning is what a page says of an exit code.
type meaning struct{ code, text string }

// exits returns the annotation for a command with the exit codes that every command has and those of its own.
func exits(own ...meaning) map[string]string {
	all := append(own, meaning{"64", "nothing can be made of the command line"})
	if !slices.ContainsFunc(own, func(m meaning) bool { return m.code == "0" }) {
		all = append(all, meaning{"0", "it was done"})
	}
	slices.SortStableFunc(all, func(a, b meaning) int { return strings.Compare(ordered(a.code), ordered(b.code)) })
	var lines strings.Builder
	for _, m := range all {
		fmt.Fprintf(&lines, "%s\t%s\n", m.code, m.text)
	}
	return map[string]string{manual.Exits: lines.String()}
}

// ordered returns a code that sorts as its number does.
func ordered(code string) string { return fmt.Sprintf("%5s", code) }

var storeFails = meaning{"69", "the store cannot be used, or does not answer: whether the lock is held is not known"}

// exit is an error that says how the process ends: with which code, and with which words if any.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return fmt.Sprintf("exit %d: %v", e.code, e.err) }

func (e exit) Unwrap() error { return e.err }

// usage returns the exit for a command line that nothing can be made of.
func usage(format string, args ...any) error {
	return exit{codeUsage, fmt.Errorf(format, args...)}
}

// failure returns the exit for an error, and nil where there is none.
func failure(code int, err error) error {
	if err == nil {
		return nil
	}
	return exit{code, err}
}

// storeOrUsage returns the exit for an error of the library: the caller's words are to blame, or else the store.
func storeOrUsage(err error) error {
	if errors.Is(err, namedlock.ErrDatabase) {
		return exit{codeStore, err}
	}
	return exit{codeUsage, err}
}

// report says err and returns the exit code. What is no exit is what the parser of the command line found.
func report(words io.Writer, err error) int {
	if err == nil {
		return 0
	}
	how := exit{codeUsage, err}
	errors.As(err, &how)
	if how.err != nil {
		say(words, how.err)
	}
	return how.code
}

// say writes one line that tells whose words it is. That nobody may read it any more is no reason to stop.
func say(words io.Writer, err error) {
	_, _ = fmt.Fprintf(words, "namedlock: %s\n", strings.TrimPrefix(oneLine(err.Error()), "namedlock: "))
}

// oneLine joins the lines of a text. Drivers tell of several hosts on several lines.
func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}
