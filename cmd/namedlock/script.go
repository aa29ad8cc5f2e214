package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

const acquireHelp = `Takes the lock NAME for --ttl and prints what "renew" and "release" need to know, as assignments for a shell. Nobody renews the lock but "renew": a script that works longer than --ttl without it works without a lock.

The same owner that asks again while it holds the lock gets the same lock, with its deadline as it is.

Where the work is one program, "run" is safer: it renews by itself, and ends the program when the lock is lost.`

const acquireExamples = `lock=$(namedlock acquire migration --ttl 5m) || exit
eval "$lock"
./migrate-first-half
namedlock renew "$NAMEDLOCK_NAME" --owner "$NAMEDLOCK_OWNER" --token "$NAMEDLOCK_TOKEN" --ttl 5m || exit
./migrate-second-half
namedlock release "$NAMEDLOCK_NAME" --owner "$NAMEDLOCK_OWNER" --token "$NAMEDLOCK_TOKEN"`

var grantOver = meaning{"76", "the lock is not this owner's any more: it was released, lapsed, was broken or taken over"}

// newAcquireCommand returns the command that takes a lock for a script.
func newAcquireCommand() *cobra.Command {
	request := &request{heldExit: codeHeld}
	var asJSON bool
	command := &cobra.Command{
		Use:     "acquire NAME [options]",
		Short:   "take a lock, for scripts",
		Long:    acquireHelp,
		Example: acquireExamples,
		Args:    oneName,
		Annotations: exits(storeFails,
			meaning{"75", "somebody else holds the lock, also at the end of --wait"},
			meaning{"128+n", "signal n ended the waiting"}),
		DisableFlagsInUseLine: true,
	}
	request.addFlags(command)
	addJSON(command, &asJSON, grantFields)
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := request.read(command, args[0]); err != nil {
			return err
		}
		held, err := request.take(process.CatchSignals(), nil)
		if err != nil {
			return err
		}
		if err := printGrant(command.OutOrStdout(), held.lock, asJSON); err != nil {
			_, _ = held.release()
			return exit{1, fmt.Errorf("nobody could be told of the lock, so it was released: %w", err)}
		}
		held.closeStore()
		return nil
	}
	return command
}

const renewHelp = `Gives the lock a full --ttl from now, and prints what "acquire" prints, with the new deadline. A lock that has lapsed is not revived, even if nobody took it.`

// newRenewCommand returns the command that renews what acquire took.
func newRenewCommand() *cobra.Command {
	var holder holder
	var asJSON bool
	ttl := 30 * time.Second
	command := &cobra.Command{
		Use:                   "renew NAME --owner S --token N [options]",
		Short:                 "renew a lock that was acquired",
		Long:                  renewHelp,
		Example:               `namedlock renew migration --owner "$NAMEDLOCK_OWNER" --token "$NAMEDLOCK_TOKEN" --ttl 5m`,
		Args:                  oneName,
		Annotations:           exits(storeFails, grantOver),
		DisableFlagsInUseLine: true,
	}
	holder.addFlags(command)
	addDuration(command.Flags(), &ttl, "ttl", "how long the lock is held from now on (30s)")
	addJSON(command, &asJSON, grantFields)
	command.RunE = func(command *cobra.Command, args []string) error {
		return holder.speak(command, args[0], ttl, func(ctx context.Context, lock *namedlock.Lock) error {
			renewed, err := lock.Renew(ctx, ttl)
			if err != nil || !renewed {
				return over(lock, err)
			}
			return printed(printGrant(command.OutOrStdout(), lock, asJSON))
		})
	}
	return command
}

const releaseHelp = `Gives the lock back. A lapsed lock that nobody took is this owner's still, and is removed too.`

// newReleaseCommand returns the command that releases what acquire took.
func newReleaseCommand() *cobra.Command {
	var holder holder
	command := &cobra.Command{
		Use:                   "release NAME --owner S --token N [options]",
		Short:                 "release a lock that was acquired",
		Long:                  releaseHelp,
		Example:               `namedlock release migration --owner "$NAMEDLOCK_OWNER" --token "$NAMEDLOCK_TOKEN"`,
		Args:                  oneName,
		Annotations:           exits(storeFails, grantOver),
		DisableFlagsInUseLine: true,
	}
	holder.addFlags(command)
	command.RunE = func(command *cobra.Command, args []string) error {
		return holder.speak(command, args[0], time.Second, func(ctx context.Context, lock *namedlock.Lock) error {
			released, err := lock.Release(ctx)
			if err != nil || !released {
				return over(lock, err)
			}
			return nil
		})
	}
	return command
}

// over tells that the store failed, and without an error that a lock is not its owner's any more.
func over(lock *namedlock.Lock, err error) error {
	if err != nil {
		return exit{codeStore, err}
	}
	return exit{codeLost, fmt.Errorf("%q is not held by %q under token %d any more", lock.Name(), lock.Owner(), lock.Token())}
}

// holder is whoever took a lock by acquire.
type holder struct {
	store storeFlag
	owner string
	token int64
}

// addFlags adds what tells that the caller is the holder.
func (h *holder) addFlags(command *cobra.Command) {
	flags := command.Flags()
	flags.SortFlags = false
	h.store.add(command)
	flags.StringVar(&h.owner, "owner", "", "who holds the lock: the `S` that acquire printed")
	flags.Int64Var(&h.token, "token", 0, "the number of the grant: the `N` that acquire printed")
}

// speak lets the holder do something with its lock.
func (h *holder) speak(command *cobra.Command, name string, ttl time.Duration, act func(context.Context, *namedlock.Lock) error) error {
	if !command.Flags().Changed("owner") || !command.Flags().Changed("token") {
		return usage("give --owner and --token, as acquire printed them")
	}
	return h.store.use(command, askBound, func(ctx context.Context, locker *namedlock.Locker) error {
		lock, err := locker.Restore(name, h.owner, namedlock.Token(h.token), ttl)
		if err != nil {
			return exit{codeUsage, err}
		}
		return act(ctx, lock)
	})
}

// grantFields tells what a grant has.
const grantFields = "name, owner, token, deadline (by the clock of the store) and remaining_seconds"

// grant is how a lock that is held is shown as JSON.
type grant struct {
	Name      string          `json:"name"`
	Owner     string          `json:"owner"`
	Token     namedlock.Token `json:"token"`
	Deadline  time.Time       `json:"deadline"`
	Remaining seconds         `json:"remaining_seconds"`
}

// printGrant prints what a script needs to know of a lock that it holds.
func printGrant(w io.Writer, lock *namedlock.Lock, asJSON bool) error {
	if asJSON {
		return printJSON(w, grant{lock.Name(), lock.Owner(), lock.Token(), lock.Deadline().UTC(), seconds(lock.Remaining())})
	}
	for _, variable := range environment(lock) {
		name, value, _ := strings.Cut(variable, "=")
		if _, err := fmt.Fprintf(w, "%s=%s\n", name, shellWord(value)); err != nil {
			return err
		}
	}
	return nil
}
