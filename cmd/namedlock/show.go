package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
)

const showHelp = `Shows who holds the lock NAME, or held it last, and the command that would break this very grant.`

var notThere = meaning{"1", "there is no such lock"}

// newShowCommand returns the command that shows one lock.
func newShowCommand() *cobra.Command {
	var from storeFlag
	var asJSON bool
	command := &cobra.Command{
		Use:                   "show NAME [options]",
		Short:                 "show who holds a lock",
		Long:                  showHelp,
		Example:               "namedlock show reports/nightly",
		Args:                  oneName,
		Annotations:           exits(storeFails, notThere),
		DisableFlagsInUseLine: true,
	}
	from.add(command)
	addJSON(command, &asJSON, rowFields)
	command.RunE = func(command *cobra.Command, args []string) error {
		return from.use(command, askBound, func(ctx context.Context, locker *namedlock.Locker) error {
			entry, err := find(ctx, locker, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printed(printJSON(command.OutOrStdout(), rowOf(entry)))
			}
			return printed(printEntry(command.OutOrStdout(), rowOf(entry), from.breakCommand(entry)))
		})
	}
	return command
}

// find returns the lock, or the exit for one that is not there.
func find(ctx context.Context, locker *namedlock.Locker, name string) (namedlock.Entry, error) {
	entry, found, err := locker.Find(ctx, name)
	switch {
	case err != nil:
		return entry, storeOrUsage(err)
	case !found:
		return entry, exit{codeNothing, fmt.Errorf("nobody holds %q", name)}
	}
	return entry, nil
}

// printEntry prints a lock for people.
func printEntry(w io.Writer, r row, breakCommand string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"name", printable(r.Name)},
		{"owner", printable(r.Owner)},
		{"token", fmt.Sprint(r.Token)},
		{"since", fmt.Sprintf("%s (%s)", instant(r.AcquiredAt), span(r.SeenAt.Sub(r.AcquiredAt)))},
		{"deadline", instant(r.Deadline)},
		{"left", left(r)},
		{"break", breakCommand},
	} {
		_, _ = fmt.Fprintf(table, "%s\t%s\n", line[0], line[1])
	}
	return table.Flush()
}

// breakCommand returns the command that breaks the grant that was seen. A password is left out.
func (s *storeFlag) breakCommand(entry namedlock.Entry) string {
	options := fmt.Sprintf(" --token %d", entry.Token)
	if s.given {
		options += " --store " + shellWord(s.chosen.String())
	}
	if strings.HasPrefix(entry.Name, "-") {
		return "namedlock break" + options + " -- " + shellWord(entry.Name)
	}
	return "namedlock break " + shellWord(entry.Name) + options
}
