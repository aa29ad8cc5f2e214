package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/alkstore/namedlock"
)

// askBound is how long the store may take to answer the first time.
const askBound = 10 * time.Second

// job is a command to run under a lock.
type job struct {
	name    string
	ttl     time.Duration
	command []string
	open    opener
	words   io.Writer
}

// hold is a lock that was granted, with the store that it is in.
type hold struct {
	lock       *namedlock.Lock
	closeStore func()
}

// run takes the lock, runs the command and gives the lock back. The error says how the process ends, nil for code 0.
func (j job) run(ctx context.Context) error {
	signals := catchSignals()
	held, err := j.take(ctx, signals)
	if err != nil {
		return err
	}
	code, err := j.runUnder(ctx, held.lock, signals)
	return j.end(held, code, err)
}

// take asks for the lock once. A signal that comes before there is an answer ends the asking: as there is no command yet
// that could be told, it ends us, as it would end any program.
func (j job) take(ctx context.Context, signals <-chan os.Signal) (*hold, error) {
	asking, stop := signal.NotifyContext(ctx, caught()...)
	defer stop()
	held, err := j.ask(asking)
	if asking.Err() == nil {
		return held, err
	}
	if held != nil {
		if _, err := held.giveBack(); err != nil {
			say(j.words, err)
		}
	}
	return nil, exit{code: codeSignal + numberOf(<-signals)}
}

// ask opens the store and tries for the lock.
func (j job) ask(ctx context.Context) (*hold, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	locker, closeStore, err := j.open(ctx)
	if err != nil {
		return nil, exit{codeStore, err}
	}
	lock, incumbent, err := locker.TryLock(ctx, j.name, namedlock.NewOwner(), j.ttl)
	switch {
	case err != nil:
		err = exit{codeStore, err}
	case incumbent != nil:
		err = exit{codeHeld, heldBy(*incumbent)}
	default:
		return &hold{lock, closeStore}, nil
	}
	closeStore()
	return nil, err
}

// heldBy tells who holds the lock.
func heldBy(incumbent namedlock.Incumbent) error {
	return fmt.Errorf("%q is held by %q, token %d, until %s (%v left)", incumbent.Name, incumbent.Owner, incumbent.Token,
		incumbent.Deadline.Format(time.RFC3339Nano), incumbent.Remaining().Round(time.Millisecond))
}

// runUnder runs the command while the lock is kept, and returns its exit code. An error tells that the lock was lost or
// that the command was not started.
func (j job) runUnder(ctx context.Context, lock *namedlock.Lock, signals <-chan os.Signal) (int, error) {
	keeper := keeper{lock: lock, ttl: j.ttl}
	if left := lock.Remaining(); left <= keeper.notice() {
		return 0, exit{codeStore, fmt.Errorf("the store took too long: of --ttl %v only %v is left", j.ttl, left)}
	}
	child, err := start(j.command, environment(lock))
	if err != nil {
		return 0, err
	}
	keeping, stop := context.WithCancel(ctx)
	defer stop()
	lost := make(chan *loss, 1)
	go func() { lost <- keeper.keep(keeping) }()
	return child.supervise(signals, lost)
}

// end gives the lock back and turns what happened into how the process ends. A lock that was gone before it was given
// back had been lost while the command ran, and nobody can say when.
func (j job) end(held *hold, code int, err error) error {
	released, trouble := held.giveBack()
	switch {
	case trouble != nil:
		say(j.words, trouble)
	case !released && err == nil:
		err = &loss{reason: errors.New("it was gone when the command had ended")}
	}
	var lost *loss
	switch {
	case errors.As(err, &lost):
		return exit{codeLost, fmt.Errorf("lost %q, token %d: %w", j.name, held.lock.Token(), lost)}
	case err == nil && code != 0:
		return exit{code: code}
	}
	return err
}

// giveBack releases the lock, which takes a bounded time, and closes the store.
func (h *hold) giveBack() (bool, error) {
	defer h.closeStore()
	return h.lock.Release(context.Background())
}
