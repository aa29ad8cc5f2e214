package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// The codes of our own, from sysexits.h where it has a fitting one. Any other code is the command's.
const (
	codeUsage         = 64  // EX_USAGE: nothing can be made of the command line
	codeStore         = 69  // EX_UNAVAILABLE: the store cannot be used
	codeHeld          = 75  // EX_TEMPFAIL: somebody else holds the lock
	codeLost          = 76  // EX_PROTOCOL: the lock was lost while the command ran
	codeNotExecutable = 126 // as in a shell
	codeNotFound      = 127 // as in a shell
	codeSignal        = 128 // plus the number of the signal, as in a shell
)

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
