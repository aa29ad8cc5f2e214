package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
)

const breakHelp = `Ends the grant of the lock NAME that has the token N, whoever holds it. "show" prints the token: when the name was granted anew since, nothing is broken.

The holder hears of it when it renews next, and until then it may go on working beside the next holder. Make sure that it is gone, or that what it works on checks tokens.`

// newBreakCommand returns the command that breaks a lock.
func newBreakCommand() *cobra.Command {
	var store storeFlag
	var token int64
	command := &cobra.Command{
		Use:     "break NAME --token N [options]",
		Short:   "end a grant that somebody else holds",
		Long:    breakHelp,
		Example: "namedlock show reports/nightly\nnamedlock break reports/nightly --token 42",
		Args:    oneName,
		Annotations: exits(storeFails, notThere,
			meaning{"65", "the lock is held under another token, and was not broken"}),
		DisableFlagsInUseLine: true,
	}
	store.add(command)
	command.Flags().Int64Var(&token, "token", 0, "the number `N` of the grant to break")
	command.RunE = func(command *cobra.Command, args []string) error {
		if !command.Flags().Changed("token") {
			return usage("give --token: \"namedlock show\" prints it")
		}
		return store.use(command, askBound, func(ctx context.Context, locker *namedlock.Locker) error {
			return breakGrant(ctx, locker, args[0], namedlock.Token(token))
		})
	}
	return command
}

// breakGrant breaks the grant, or tells why there was nothing to break.
func breakGrant(ctx context.Context, locker *namedlock.Locker, name string, token namedlock.Token) error {
	broken, err := locker.Break(ctx, name, token)
	switch {
	case err != nil:
		return storeOrUsage(err)
	case broken:
		return nil
	}
	entry, err := find(ctx, locker, name)
	if err != nil {
		return err
	}
	return exit{codeOther, fmt.Errorf("nothing was broken: %q has the token %d now, and its owner is %q", name, entry.Token, entry.Owner)}
}
