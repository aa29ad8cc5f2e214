package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
)

const listHelp = `Lists the locks that are held, those whose names begin with PREFIX if there is one, in byte order of their names. Locks that lapsed and that nobody took, released or purged since are shown with --lapsed too.`

// newListCommand returns the command that lists locks.
func newListCommand() *cobra.Command {
	var store storeFlag
	var asJSON, lapsed bool
	command := &cobra.Command{
		Use:     "list [PREFIX] [options]",
		Short:   "list the locks that are held",
		Long:    listHelp,
		Example: "namedlock list reports/\nnamedlock list --lapsed --json | jq -r '.[] | select(.lapsed) | .name'",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("give one PREFIX at most, not %d", len(args))
			}
			return nil
		},
		Annotations:           exits(storeFails),
		DisableFlagsInUseLine: true,
	}
	store.add(command)
	command.Flags().BoolVar(&lapsed, "lapsed", false, "show locks that have lapsed too")
	addJSON(command, &asJSON, "an array of locks with "+rowFields)
	command.RunE = func(command *cobra.Command, args []string) error {
		prefix := append(args, "")[0]
		return store.use(command, longBound, func(ctx context.Context, locker *namedlock.Locker) error {
			rows, err := collect(ctx, locker, prefix, lapsed)
			if err != nil {
				return err
			}
			if asJSON {
				return printed(printJSON(command.OutOrStdout(), rows))
			}
			return printed(printTable(command.OutOrStdout(), rows))
		})
	}
	return command
}

// collect returns the locks under a prefix.
func collect(ctx context.Context, locker *namedlock.Locker, prefix string, lapsed bool) ([]row, error) {
	rows := []row{}
	for entry, err := range locker.List(ctx, prefix) {
		if err != nil {
			return nil, storeOrUsage(err)
		}
		if lapsed || !entry.Lapsed() {
			rows = append(rows, rowOf(entry))
		}
	}
	return rows, nil
}

// printTable prints locks for people.
func printTable(w io.Writer, rows []row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(rows) > 0 {
		_, _ = fmt.Fprintln(table, "NAME\tOWNER\tTOKEN\tSINCE\tLEFT")
	}
	for _, r := range rows {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", printable(r.Name), printable(r.Owner), r.Token, instant(r.AcquiredAt), left(r))
	}
	return table.Flush()
}
