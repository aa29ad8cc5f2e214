package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// forEver is a wait that does not end by itself.
const forEver time.Duration = math.MaxInt64

// duration is a flag for a span of time, which needs a unit: a plain number would be taken for seconds by one reader and for
// minutes by another.
type duration struct {
	d *time.Duration
	// zero is whether there may be none of it, and words are other values with a meaning.
	zero  bool
	words map[string]time.Duration
}

// addDuration adds a flag whose duration must be longer than zero.
func addDuration(flags *pflag.FlagSet, d *time.Duration, name, usage string) {
	flags.Var(duration{d: d}, name, usage)
}

// addPause adds a flag whose duration may be zero.
func addPause(flags *pflag.FlagSet, d *time.Duration, name, usage string) {
	flags.Var(duration{d: d, zero: true}, name, usage)
}

// addWait adds a flag whose duration may be zero and may be without an end.
func addWait(flags *pflag.FlagSet, d *time.Duration, name, usage string) {
	flags.Var(duration{d: d, zero: true, words: map[string]time.Duration{"forever": forEver}}, name, usage)
}

// Set reads the flag.
func (f duration) Set(text string) error {
	if d, is := f.words[text]; is {
		*f.d = d
		return nil
	}
	d, err := time.ParseDuration(text)
	_, number := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && number == nil:
		return fmt.Errorf("a duration needs a unit, such as %ss for seconds or %sm for minutes", text, text)
	case err != nil:
		return errors.New("that is no duration: give one such as 500ms, 30s, 5m or 2h")
	case d < 0:
		return errors.New("a duration cannot be negative")
	case d == 0 && !f.zero:
		return errors.New("it must be longer than 0")
	}
	*f.d = d
	return nil
}

// String shows the value.
func (f duration) String() string {
	if f.d == nil || *f.d == 0 {
		return ""
	}
	return f.d.String()
}

// Type names the value in the help.
func (duration) Type() string { return "D" }
