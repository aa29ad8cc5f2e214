package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock/domain"
)

const runHelp = `Take the lock NAME, run COMMAND, keep the lock while it runs, and release it.

If somebody else holds the lock, COMMAND is not started. If the lock is lost while
COMMAND runs, COMMAND gets a TERM signal, and a KILL before its time is up. The signals
TERM, INT, HUP, QUIT, USR1 and USR2 are passed on to COMMAND. COMMAND finds
NAMEDLOCK_NAME, NAMEDLOCK_OWNER, NAMEDLOCK_TOKEN and NAMEDLOCK_DEADLINE (as first
granted) in its environment.

The store is a SQLite file, sqlite:PATH, for the processes of one machine, or a Postgres
database, postgres://USER@HOST:PORT/DATABASE, for those of many. Without --store it is
what NAMEDLOCK_STORE says, and without that the file namedlock/locks.db in
$XDG_STATE_HOME or ~/.local/state.

Exit codes:
  64     bad usage
  69     the store cannot be used
  75     somebody else holds the lock
  76     the lock was lost while COMMAND ran
  126    COMMAND cannot be executed
  127    COMMAND was not found
  128+n  signal n ended COMMAND
  Any other is COMMAND's own.`

// newRunCommand returns the command that runs a program under a lock.
func newRunCommand() *cobra.Command {
	var store string
	var ttl time.Duration
	command := &cobra.Command{
		Use:                   "run NAME [--store URL] [--ttl DURATION] -- COMMAND [ARG...]",
		Short:                 "Run a program while holding the lock NAME",
		Long:                  runHelp,
		Example:               "  namedlock run reports/nightly --ttl 1m -- ./make-reports --all",
		DisableFlagsInUseLine: true,
	}
	command.Flags().StringVar(&store, "store", "", "where the lock is: sqlite:PATH or postgres://...")
	command.Flags().DurationVar(&ttl, "ttl", 30*time.Second, "how long the lock outlives us if we are killed, such as 30s")
	command.RunE = func(command *cobra.Command, args []string) error {
		job, err := newJob(args, command.ArgsLenAtDash(), ttl)
		if err != nil {
			return err
		}
		job.open, err = chooseStore(store, command.Flags().Changed("store"))
		if err != nil {
			return err
		}
		job.words = command.ErrOrStderr()
		return job.run(context.Background())
	}
	return command
}

// newJob returns what the command line asks for. dash is how many arguments stood before "--", negative without one.
func newJob(args []string, dash int, ttl time.Duration) (job, error) {
	switch {
	case dash < 0:
		return job{}, usage(`give a NAME, "--" and a COMMAND: namedlock run NAME -- COMMAND [ARG...]`)
	case dash != 1:
		return job{}, usage(`give one NAME before "--", not %d`, dash)
	case len(args) == dash || args[dash] == "":
		return job{}, usage(`give a COMMAND after "--"`)
	case ttl <= 0:
		return job{}, usage("--ttl must be positive, not %v", ttl)
	}
	if _, err := domain.NewName(args[0]); err != nil {
		return job{}, exit{codeUsage, err}
	}
	return job{name: args[0], command: args[dash:], ttl: ttl}, nil
}
