package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/terminal"
	"github.com/alkstore/namedlock/domain"
)

// request is a wish for a lock.
type request struct {
	name, owner string
	ttl         time.Duration
	// wait is how long to wait for a lock that is held: zero is one attempt.
	wait time.Duration
	// alone is whether a lock that the same owner holds already is refused like anybody's.
	alone bool
	// quiet lets nothing be said of a lock that is held, and heldExit is the code for that.
	quiet    bool
	heldExit int

	store storeFlag
	from  store
	words io.Writer
}

// addFlags adds what every request can be told.
func (r *request) addFlags(command *cobra.Command) {
	r.ttl = 30 * time.Second
	flags := command.Flags()
	flags.SortFlags = false
	r.store.add(command)
	addDuration(flags, &r.ttl, "ttl", "how long the lock outlives whoever does not renew it (30s)")
	addWait(flags, &r.wait, "wait", "how long to wait for a lock that is held, or \"forever\"; without it, and with 0, there is one attempt")
	flags.StringVar(&r.owner, "owner", "", "who holds the lock, as `S` for the others to see; without it the host, the process and a random part")
}

// read completes the request with what the command line says.
func (r *request) read(command *cobra.Command, name string) (err error) {
	r.name, r.words = name, command.ErrOrStderr()
	if _, err := domain.NewName(name); err != nil {
		return exit{codeUsage, err}
	}
	if !command.Flags().Changed("owner") {
		r.owner = namedlock.NewOwner()
	}
	if _, err := domain.NewOwner(r.owner); err != nil {
		return exit{codeUsage, fmt.Errorf("--owner: %w", err)}
	}
	r.from, err = r.store.choose(command)
	return err
}

// closeBound is how long the store may take to be closed when the asking had to end.
const closeBound = 2 * time.Second

// hold is a lock that was granted, with the store that it is in.
type hold struct {
	lock       *namedlock.Lock
	granted    time.Time
	closeStore func()
}

// take gets the lock. A signal that comes before ends us, as it would end any program: there is no command yet that could be
// told. Then no lock is left behind.
func (r *request) take(signals <-chan os.Signal, observer namedlock.Observer) (*hold, error) {
	asking, stop := signal.NotifyContext(context.Background(), process.Caught()...)
	defer stop()
	held, err := r.ask(asking, observer)
	if asking.Err() == nil {
		return held, err
	}
	if held != nil {
		if _, err := held.release(); err != nil {
			say(r.words, err)
		}
	}
	return nil, exit{code: codeSignal + process.Number(<-signals)}
}

// ask opens the store and asks for the lock, in the time that there is to wait.
func (r *request) ask(ctx context.Context, observer namedlock.Observer) (*hold, error) {
	if r.wait > 0 && r.wait != forEver {
		bounded, cancel := context.WithTimeout(ctx, r.wait)
		defer cancel()
		ctx = bounded
	}
	opening, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	locker, closeStore, err := r.from.open(opening, observer)
	if err != nil {
		return nil, exit{codeStore, err}
	}
	lock, err := r.tryOrWait(ctx, locker)
	if err != nil {
		r.close(ctx, closeStore)
		return nil, r.refusal(err)
	}
	return &hold{lock: lock, granted: time.Now(), closeStore: closeStore}, nil
}

// close closes the store, which takes back what unanswered calls may have got. When the time to wait is over, or a signal came,
// that must not take much longer: what a store that is frozen has granted lapses.
func (r *request) close(ctx context.Context, closeStore func()) {
	if ctx.Err() == nil {
		closeStore()
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		closeStore()
	}()
	select {
	case <-closed:
	case <-time.After(closeBound):
	}
}

// tryOrWait tries once, and then waits if that was asked for.
func (r *request) tryOrWait(ctx context.Context, locker *namedlock.Locker) (*namedlock.Lock, error) {
	lock, err := r.try(ctx, locker)
	var held *namedlock.HeldError
	if r.wait == 0 || !errors.As(err, &held) {
		return lock, err
	}
	if !r.quiet && terminal.Is(r.words) {
		say(r.words, fmt.Errorf("waiting: %w", heldBy(held.Incumbent)))
	}
	for {
		lock, err := locker.Lock(ctx, r.name, r.owner, r.ttl)
		if err != nil || !r.alone || !lock.Shared() {
			return lock, err
		}
		if err := locker.UntilFree(ctx, r.name); err != nil {
			return nil, err
		}
	}
}

// try asks once, and not for long: a store that does not answer now is no reason to wait.
func (r *request) try(ctx context.Context, locker *namedlock.Locker) (*namedlock.Lock, error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	lock, incumbent, err := locker.TryLock(ctx, r.name, r.owner, r.ttl)
	switch {
	case err != nil:
		return nil, err
	case incumbent != nil:
		return nil, &namedlock.HeldError{Incumbent: *incumbent}
	case r.alone && lock.Shared():
		return nil, &namedlock.HeldError{Incumbent: incumbentOf(lock)}
	}
	return lock, nil
}

// incumbentOf shows a lock of the same owner as what stands in the way.
func incumbentOf(lock *namedlock.Lock) namedlock.Incumbent {
	return namedlock.Incumbent{
		Name: lock.Name(), Owner: lock.Owner(), Token: lock.Token(),
		Deadline: lock.Deadline(), SeenAt: lock.Deadline().Add(-lock.Remaining()),
	}
}

// refusal tells what kept the lock from being granted: somebody else, if the store says so, else the store.
func (r *request) refusal(err error) error {
	var held *namedlock.HeldError
	switch {
	case !errors.As(err, &held):
		return exit{codeStore, err}
	case r.quiet:
		return exit{code: r.heldExit}
	}
	return exit{r.heldExit, heldBy(held.Incumbent)}
}

// heldBy tells who holds the lock.
func heldBy(incumbent namedlock.Incumbent) error {
	return fmt.Errorf("%q is held by %q, token %d, until %s (%v left)", incumbent.Name, incumbent.Owner, incumbent.Token,
		incumbent.Deadline.Format(time.RFC3339Nano), incumbent.Remaining().Round(time.Millisecond))
}

// release gives the lock back, which takes a bounded time, and closes the store. It reports whether the lock stood.
func (h *hold) release() (bool, error) {
	defer h.closeStore()
	return h.lock.Release(context.Background())
}

// leave leaves the lock to lapse when it was held for that long in all, and releases it if that is over.
func (h *hold) leave(atLeast time.Duration) (bool, error) {
	rest := atLeast - time.Since(h.granted)
	if rest <= 0 {
		return h.release()
	}
	defer h.closeStore()
	ctx, cancel := context.WithTimeout(context.Background(), askBound)
	defer cancel()
	return h.lock.Renew(ctx, rest)
}
