package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

// job is a command to run under a lock.
type job struct {
	request
	command []string
	// grace is how long the command may take to end by itself when it has to.
	grace time.Duration
	// atLeast is how long the name stays taken, and atMost how long the command may run; zero is no bound.
	atLeast, atMost time.Duration
	// carryOn is whether the command is left alone when the lock is lost.
	carryOn bool
}

// run takes the lock, runs the command and gives the lock back. The error says how the process ends, nil for code 0.
func (j *job) run() error {
	signals := process.CatchSignals()
	troubles := &troubles{}
	held, err := j.take(signals, troubles)
	if err != nil {
		return err
	}
	lease := lease{lock: held.lock, ttl: j.ttl, grace: j.grace, troubles: troubles}
	if left := held.lock.Remaining(); left <= lease.notice() {
		return j.giveUp(held, exit{codeStore, fmt.Errorf("the store took too long: of --ttl %v only %v is left", j.ttl, left)})
	}
	command, err := process.Start(j.command, environment(held.lock))
	if err != nil {
		return j.giveUp(held, notStarted(err))
	}
	lost := j.runUnder(lease, command, signals)
	return j.end(held, command.ExitCode(), lost)
}

// giveUp releases the lock of a command that was not started.
func (j *job) giveUp(held *hold, reason error) error {
	if _, err := held.release(); err != nil {
		say(j.words, err)
	}
	return reason
}

// runUnder keeps the lock until the command has ended, with all that it started, and returns why it had to end, if it had.
func (j *job) runUnder(lease lease, command *process.Process, signals <-chan os.Signal) error {
	kept, stop := lease.lock.Keep(context.Background())
	defer stop()
	lost := make(chan *loss, 1)
	go func() { lost <- lease.watch(kept) }()
	s := supervision{job: j, process: command, lock: lease.lock, lost: lost}
	if j.atMost > 0 {
		s.tooLong = time.After(j.atMost)
	}
	s.run(signals)
	return s.reason
}

// end gives the lock back and turns what happened into how the process ends. A lock that was gone before it was given back
// had been lost while the command ran, and nobody can say when.
func (j *job) end(held *hold, code int, lost error) error {
	stood, trouble := held.leave(j.atLeast)
	switch {
	case trouble != nil:
		say(j.words, trouble)
	case !stood && lost == nil:
		lost = errors.New("it was gone when the command had ended")
		say(j.words, lossOf(held.lock, lost))
	}
	switch {
	case lost != nil:
		return exit{code: codeLost}
	case code != 0:
		return exit{code: code}
	}
	return nil
}

// lossOf tells which lock was lost, and why.
func lossOf(lock *namedlock.Lock, reason error) error {
	return fmt.Errorf("lost %q, token %d: %w", lock.Name(), lock.Token(), reason)
}

// environment returns what the command is told about the lock.
func environment(lock *namedlock.Lock) []string {
	return []string{
		"NAMEDLOCK_NAME=" + lock.Name(),
		"NAMEDLOCK_OWNER=" + lock.Owner(),
		"NAMEDLOCK_TOKEN=" + strconv.FormatInt(int64(lock.Token()), 10),
		"NAMEDLOCK_DEADLINE=" + lock.Deadline().Format(time.RFC3339Nano),
	}
}

// notStarted returns the exit of a command that could not be started, with a shell's code for it.
func notStarted(err error) error {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return exit{codeNotFound, err}
	}
	return exit{codeNotExecutable, err}
}
