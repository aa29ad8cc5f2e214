package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

const migrateHelp = `Makes the tables, or brings them up to this release, and the SQLite file if it is not there. Every other command that takes locks does so too: this one is for where the role that runs them may not, or where a step of its own is wanted. It can be run at any time, and from many hosts at once.`

// newMigrateCommand returns the command that brings the schema up to date.
func newMigrateCommand() *cobra.Command {
	var from storeFlag
	command := &cobra.Command{
		Use:                   "migrate [options]",
		Short:                 "make the tables, or bring them up to date",
		Long:                  migrateHelp,
		Example:               "PGPASSWORD=... namedlock migrate --store postgres://owner@db/app",
		Args:                  nothing,
		Annotations:           exits(storeFails),
		DisableFlagsInUseLine: true,
	}
	from.add(command)
	command.RunE = func(command *cobra.Command, _ []string) error {
		chosen, err := from.choose(command)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), longBound)
		defer cancel()
		_, closeStore, err := chosen.open(ctx, nil)
		if err != nil {
			return exit{codeStore, err}
		}
		closeStore()
		_, err = fmt.Fprintf(command.OutOrStdout(), "%s is at version %d\n", chosen, chosen.version())
		return printed(err)
	}
	return command
}
