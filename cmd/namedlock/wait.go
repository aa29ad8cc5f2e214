package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
)

const waitHelp = `Waits until nobody holds the lock NAME, and takes nothing. By the time that it returns somebody else may have been faster: whoever needs the lock waits with "run --wait" or "acquire --wait".`

// newWaitCommand returns the command that waits until a lock is free.
func newWaitCommand() *cobra.Command {
	var store storeFlag
	timeout := forEver
	command := &cobra.Command{
		Use:         "wait NAME [options]",
		Short:       "wait until a lock is free, without taking it",
		Long:        waitHelp,
		Example:     "namedlock wait migration --timeout 5m && ./start-server",
		Args:        oneName,
		Annotations: exits(storeFails, meaning{"75", "the lock was still held at the end of --timeout"}),

		DisableFlagsInUseLine: true,
	}
	store.add(command)
	addWait(command.Flags(), &timeout, "timeout", "how long to wait at most; 0 is one look (forever)")
	command.RunE = func(command *cobra.Command, args []string) error {
		return store.use(command, max(timeout, askBound), func(ctx context.Context, locker *namedlock.Locker) error {
			return waitFor(ctx, locker, args[0], timeout)
		})
	}
	return command
}

// waitFor looks once, and then waits for as long as there is.
func waitFor(ctx context.Context, locker *namedlock.Locker, name string, timeout time.Duration) error {
	looking, end := context.WithTimeout(ctx, askBound)
	defer end()
	entry, found, err := locker.Find(looking, name)
	switch {
	case err != nil:
		return exit{codeStore, err}
	case !found || entry.Lapsed():
		return nil
	case timeout == 0:
		return exit{codeHeld, heldBy(entry)}
	}
	waiting, stop := context.WithTimeout(ctx, timeout)
	defer stop()
	err = locker.UntilFree(waiting, name)
	var held *namedlock.HeldError
	if errors.As(err, &held) {
		return exit{codeHeld, fmt.Errorf("after %v: %w", timeout, heldBy(held.Incumbent))}
	}
	return failure(codeStore, err)
}
