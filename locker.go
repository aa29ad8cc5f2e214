package namedlock

import (
	"context"
	"time"

	"github.com/alkstore/namedlock/ports"
)

// closeBound is how long Close waits for work under locks to end.
const closeBound = 5 * time.Second

// Locker gives out locks of one store. Make one with [New] and keep it. It is safe for concurrent use, keeps no
// connection between calls (M9), and has nothing to do with sync.Locker.
type Locker struct {
	repo     ports.Repository
	observer Observer
	// now is the clock of local deadlines (M7); tests replace it.
	now func() time.Time
	// open ends, with ErrClosed, when Close begins. It is the life of the Locker and belongs to no call.
	open  context.Context
	close context.CancelCauseFunc
	works works
	// askers keep calls of one owner for one name apart.
	askers askers
	// lines are those who wait.
	lines lines
	// keeper renews what is kept.
	keeper keeper
}

// Option says what is rarely needed of a [Locker].
type Option func(*Locker)

// WithObserver lets the observer hear what happens to the locks.
func WithObserver(observer Observer) Option {
	return func(l *Locker) { l.observer = observer }
}

// New returns a Locker on repo. It asks the store nothing. A nil repo is a mistake in the program, and panics.
func New(repo ports.Repository, options ...Option) *Locker {
	if repo == nil {
		panic("namedlock: New needs a repository")
	}
	l := &Locker{repo: repo, now: time.Now}
	l.open, l.close = context.WithCancelCause(context.Background())
	l.keeper.wake = make(chan struct{}, 1)
	l.lines.waker, _ = repo.(ports.Waker)
	for _, option := range options {
		option(l)
	}
	return l
}

// Close ends the Locker and everything that goes on in it. Who waits or campaigns gets ErrClosed. The work under a lock
// that is kept hears of it by a [LostError] that is ErrClosed; Close waits for it to end, and for its lock to be given
// back, at most five seconds; the lock of work that takes longer lapses at its deadline. Then it waits for attempts to take
// back what unanswered calls may have got, at most five seconds more, and closes the repository, which closes what it
// opened and nothing that it was given (M10).
//
// Locks that are held and not kept stay held until their deadline: release them first. Every later operation returns
// ErrClosed (L11). Closing twice is fine, and so is closing in the midst of work under a lock.
func (l *Locker) Close() error {
	l.close(ErrClosed)
	l.keeper.loseAll(ErrClosed)
	l.works.finish(closeBound)
	l.askers.finish()
	return l.repo.Close()
}

// whileOpen returns a context that ends with ctx, or with ErrClosed for its cause when the Locker is closed.
func (l *Locker) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(l.open, func() { cancel(ErrClosed) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
