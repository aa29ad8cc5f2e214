package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// oneName lets a command be given one NAME that a lock can have.
func oneName(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("give one NAME, not %d", len(args))
	}
	_, err := domain.NewName(args[0])
	return failure(codeUsage, err)
}

// addJSON adds the flag for programs that read.
func addJSON(command *cobra.Command, asJSON *bool, fields string) {
	command.Flags().BoolVar(asJSON, "json", false, "print JSON: "+fields)
}

// seconds is a duration that JSON shows as a number of seconds.
type seconds time.Duration

// MarshalJSON shows the duration.
func (s seconds) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, time.Duration(s).Seconds(), 'f', -1, 64), nil
}

// row is how a lock in the store is shown as JSON.
type row struct {
	Name       string          `json:"name"`
	Owner      string          `json:"owner"`
	Token      namedlock.Token `json:"token"`
	AcquiredAt time.Time       `json:"acquired_at"`
	Deadline   time.Time       `json:"deadline"`
	SeenAt     time.Time       `json:"seen_at"`
	Lapsed     bool            `json:"lapsed"`
	Remaining  seconds         `json:"remaining_seconds"`
}

// rowFields tells what a row has.
const rowFields = "name, owner, token, acquired_at, deadline, seen_at (all by the clock of the store), lapsed and remaining_seconds"

func rowOf(e namedlock.Entry) row {
	return row{e.Name, e.Owner, e.Token, e.AcquiredAt.UTC(), e.Deadline.UTC(), e.SeenAt.UTC(), e.Lapsed(), seconds(e.Remaining())}
}

// printJSON prints a value for programs, indented for people.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// instant shows a point in time.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// left shows how long a lock is held still, or since when it is not.
func left(r row) string {
	if r.Lapsed {
		return "lapsed " + span(r.SeenAt.Sub(r.Deadline)) + " ago"
	}
	return span(time.Duration(r.Remaining))
}

// span shows a duration as exactly as a person wants it.
func span(d time.Duration) string {
	if d < time.Minute {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// printable shows a text on one line that no terminal takes for an order.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// shellWord returns the text as one word for a shell.
func shellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+,="
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// printed tells that what was asked for could not be printed.
func printed(err error) error {
	if err == nil {
		return nil
	}
	return exit{1, fmt.Errorf("the answer could not be printed: %w", err)}
}
