package main

import (
	"time"

	"github.com/spf13/cobra"
)

const runHelp = `Takes the lock NAME, runs COMMAND, renews the lock while it runs, and releases it when it has ended. If somebody else holds the lock, COMMAND is not started, unless --wait says for how long to wait.

COMMAND is run as it would be without us: its arguments arrive byte for byte, with no shell in between, its input, output and terminal are its own, and nothing of ours is open in it. It finds NAMEDLOCK_NAME, NAMEDLOCK_OWNER, NAMEDLOCK_TOKEN and NAMEDLOCK_DEADLINE (as first granted) in its environment. The token grows with every grant of the name: a resource that remembers the largest one can refuse a late writer.

The signals TERM, INT, HUP, QUIT, USR1 and USR2 are passed on to COMMAND, once each; what is typed at a terminal reaches it by itself. While we wait for the lock they end us at once.

If the lock is lost while COMMAND runs, because it could not be renewed in time or somebody broke it, COMMAND and what it started get a TERM. That comes early enough for --grace to be over before somebody else can have the lock; then they get a KILL. What COMMAND leaves behind when it ends is ended in the same way, and only then the lock is released.

Where there is no terminal COMMAND has a process group of its own, and what it starts is whatever stays in that group. At a terminal it stays in our group; what it started is then found on Linux only. A process that leaves the group, as a daemon does, is on its own. If we are killed by KILL, COMMAND is killed too on Linux, but not what it started; elsewhere it runs on while the lock lapses.`

const runExamples = `# a job in the crontab of several hosts, of which one runs it
namedlock run reports/nightly --quiet --held-exit 0 -- ./make-reports --all

# one deployment after the other
namedlock run deploy --wait 10m -- ./deploy.sh

# hosts whose clocks differ by seconds do not run it twice
namedlock run billing --at-least 1m --at-most 2h --store postgres://app@db/app -- ./bill`

// newRunCommand returns the command that runs a program under a lock.
func newRunCommand() *cobra.Command {
	job := &job{request: request{alone: true}}
	var onLost string
	command := &cobra.Command{
		Use:     "run NAME [options] -- COMMAND [ARG...]",
		Short:   "run a program while holding a lock",
		Long:    runHelp,
		Example: runExamples,
		Annotations: exits(storeFails,
			meaning{"0", "COMMAND ended with 0, and the lock was held all the time"},
			meaning{"75", "somebody else holds the lock, also at the end of --wait; --held-exit changes this code"},
			meaning{"76", "the lock was lost while COMMAND ran, or COMMAND ran longer than --at-most"},
			meaning{"126", "COMMAND cannot be executed"},
			meaning{"127", "COMMAND was not found"},
			meaning{"128+n", "signal n ended COMMAND, or ended us while there was none"},
			meaning{"other", "COMMAND's own"}),
		DisableFlagsInUseLine: true,
	}
	job.addFlags(command)
	flags := command.Flags()
	addDuration(flags, &job.atLeast, "at-least", "keep the name taken until `D` after the grant, although COMMAND ends earlier")
	addDuration(flags, &job.atMost, "at-most", "end COMMAND when it has run for `D`")
	addPause(flags, &job.grace, "grace", "how long COMMAND may take to end after TERM, before KILL (10s, but no more than a third of --ttl)")
	flags.StringVar(&onLost, "on-lost", "term", "what to do when the lock is lost: `WHAT` is \"term\" to end COMMAND, or \"ignore\" to let it carry on beside the next holder")
	flags.IntVar(&job.heldExit, "held-exit", codeHeld, "the exit code `N` for a lock that somebody else holds (75)")
	flags.BoolVar(&job.quiet, "quiet", false, "say nothing about a lock that somebody else holds")
	command.RunE = func(command *cobra.Command, args []string) error {
		if err := job.readCommand(args, command.ArgsLenAtDash()); err != nil {
			return err
		}
		if err := job.readLoss(onLost, command.Flags().Changed("grace")); err != nil {
			return err
		}
		if err := job.read(command, args[0]); err != nil {
			return err
		}
		return job.run()
	}
	return command
}

// readCommand completes the job with the arguments, of which dash stood before "--": negative without one.
func (j *job) readCommand(args []string, dash int) error {
	switch {
	case dash < 0:
		return usage(`give a NAME, "--" and a COMMAND: namedlock run NAME -- COMMAND [ARG...]`)
	case dash != 1:
		return usage(`give one NAME before "--", not %d`, dash)
	case len(args) == dash || args[dash] == "":
		return usage(`give a COMMAND after "--"`)
	}
	j.command = args[dash:]
	return nil
}

// readLoss completes the job with what is to happen when the lock is lost. A grace that nobody chose fits the ttl.
func (j *job) readLoss(onLost string, graceGiven bool) error {
	switch {
	case onLost != "term" && onLost != "ignore":
		return usage(`--on-lost is "term" or "ignore", not %q`, onLost)
	case graceGiven && j.grace > j.ttl/2:
		return usage("--grace %v is more than half of --ttl %v: give a --ttl of at least %v", j.grace, j.ttl, 2*j.grace)
	case j.heldExit < 0 || j.heldExit > 255:
		return usage("--held-exit is a number from 0 to 255, not %d", j.heldExit)
	}
	if !graceGiven {
		j.grace = min(10*time.Second, j.ttl/3)
	}
	j.carryOn = onLost == "ignore"
	return nil
}
