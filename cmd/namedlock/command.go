package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock/cmd/namedlock/internal/manual"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

const rootHelp = `Locks names for a limited time, in a store that is already there: a SQLite file for the processes of one machine, a Postgres database for those of many. Whoever holds a lock keeps it by renewing it; a lock that nobody renews lapses, and the next who asks gets it.

"run" is what most need: it runs a program while it holds a lock. "acquire", "renew" and "release" are for scripts that do the same in steps. "list", "show", "break", "purge" and "doctor" are for whoever looks after the locks.

The store is what --store says, without it what NAMEDLOCK_STORE says, and without that the file namedlock/locks.db in $XDG_STATE_HOME or ~/.local/state:

  sqlite:PATH
  postgres://USER@HOST:PORT/DATABASE

A password belongs into PGPASSWORD or ~/.pgpass, where no list of processes shows it. Durations need a unit, as in 500ms, 30s, 5m or 2h. Our own words, and nothing else of ours, go to the standard error; what a command is asked for goes to the standard output.`

const rootExamples = `namedlock run reports/nightly -- ./make-reports --all
namedlock list reports/
namedlock doctor --store postgres://app@db/app`

// execute carries out the command line, says on words how it failed, and returns the exit code.
func execute(args []string, words io.Writer) int {
	process.OutliveReaders()
	command := newCommand()
	command.SetArgs(args)
	command.SetErr(words)
	return report(words, command.Execute())
}

// newCommand returns the command with those below it. Errors are said by [report] alone.
func newCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "namedlock COMMAND [options]",
		Args:    cobra.ArbitraryArgs,
		Short:   "locks with names and a time limit",
		Long:    rootHelp,
		Example: rootExamples,
		Annotations: exits(storeFails,
			meaning{"1", "what was asked for is not there, or an answer could not be printed"},
			meaning{"65", "the lock is held under another token than the one that was given"},
			meaning{"75", "somebody else holds the lock"},
			meaning{"76", "the lock was lost, or is not its owner's any more"},
			meaning{"other", "those of a command that is run: see namedlock-run(1)"}),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          refuseNothing,
	}
	command.SetHelpFunc(func(command *cobra.Command, _ []string) { _ = manual.Help(command.OutOrStdout(), command) })
	command.AddCommand(
		newRunCommand(), newAcquireCommand(), newRenewCommand(), newReleaseCommand(), newWaitCommand(),
		newListCommand(), newShowCommand(), newBreakCommand(), newPurgeCommand(),
		newMigrateCommand(), newDoctorCommand(), newVersionCommand(), newManualCommand(),
	)
	return command
}

// refuseNothing shows the help to who asked for nothing. It is no answer, so it does not go to the standard output.
func refuseNothing(command *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage("there is no command %q: namedlock --help lists them", args[0])
	}
	return exit{code: codeUsage, err: manual.Help(command.ErrOrStderr(), command)}
}

// newManualCommand returns the command that writes the manual pages, for who packs them.
func newManualCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "manual FOLDER",
		Short:  "write the manual pages into a folder",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			return failure(1, manual.WritePages(args[0], command.Root()))
		},
	}
}
