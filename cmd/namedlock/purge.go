package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
)

const purgeHelp = `Removes locks that lapsed at least D ago, and prints how many. Nothing needs it: a lapsed lock costs a few bytes, and the next who asks for its name gets it. Where names are used once, run it now and then. Tokens never go back.`

// newPurgeCommand returns the command that removes what lapsed.
func newPurgeCommand() *cobra.Command {
	var store storeFlag
	var age time.Duration
	command := &cobra.Command{
		Use:                   "purge --lapsed-for D [options]",
		Short:                 "remove what lapsed long ago",
		Long:                  purgeHelp,
		Example:               "namedlock purge --lapsed-for 720h",
		Args:                  nothing,
		Annotations:           exits(storeFails),
		DisableFlagsInUseLine: true,
	}
	store.add(command)
	addPause(command.Flags(), &age, "lapsed-for", "how long ago they lapsed at least")
	command.RunE = func(command *cobra.Command, _ []string) error {
		if !command.Flags().Changed("lapsed-for") {
			return usage("give --lapsed-for: how long ago a lock must have lapsed, such as 720h")
		}
		return store.use(command, longBound, func(ctx context.Context, locker *namedlock.Locker) error {
			removed, err := locker.Purge(ctx, age)
			if err != nil {
				return exit{codeStore, fmt.Errorf("%w; %d removed before", err, removed)}
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "removed %d\n", removed)
			return printed(err)
		})
	}
	return command
}
