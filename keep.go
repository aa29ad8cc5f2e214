package namedlock

import (
	"context"
	"errors"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Keep renews the lock, to the ttl that it was acquired with and whenever a third of it is used, until stop is called. The
// context that it returns is for the work that needs the lock. It ends, before anybody else can have the lock, when the
// lock is lost: as soon as the store says so, or when its time, less a tenth for the work to end in, is up and the store has
// not answered. Then [context.Cause] is a [LostError], for good: a renewal that succeeds too late is given back. It also
// ends with ctx; the lock is kept all the same until stop, because work that was told to end is still work.
//
// A renewal that fails is no loss: it is tried again while there is time. Renewals of many locks are sent together where
// the store can (ports.BatchRenewer), one at most for each lock at a time, and none begins after stop or a release.
//
// Call stop when the work has ended, in any case; it may be called twice. It does not release a lock that is still held:
// defer [Lock.Release] before. Closing the [Locker] ends the context too, and then stop gives the lock back.
func (k *Lock) Keep(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, kept := k.keep(ctx, 0)
	return ctx, kept.stop
}

// keeping is a lock while it is kept. What changes in it belongs to the keeper's mutex.
type keeping struct {
	lock *Lock
	// atMost ends the keeping that long after the grant; zero is never.
	atMost time.Duration
	// tell ends the work's context.
	tell context.CancelCauseFunc
	// stopped is closed when the work has ended.
	stopped chan struct{}

	// margin is how much of the lock's time is left to the work when it is told of the loss.
	margin time.Duration
	// asking is whether a renewal is under way.
	asking bool
	// retryAt is when to ask again after a renewal without an answer.
	retryAt time.Time
	// trouble is why there was none.
	trouble error
	// lost is set, once, when the lock is declared lost, and lapsesAt is when it is really over.
	lost     *LostError
	lapsesAt time.Time
}

// keep begins to keep the lock. A locker that is closed keeps nothing.
func (k *Lock) keep(ctx context.Context, atMost time.Duration) (context.Context, *keeping) {
	ctx, tell := context.WithCancelCause(ctx)
	left := k.Remaining()
	kept := &keeping{
		lock:    k,
		atMost:  atMost,
		tell:    tell,
		stopped: make(chan struct{}),
		margin:  min(marginOf(k.ttl), left/2),
	}
	if !k.locker.works.begin() {
		kept.lose(ErrClosed, k.locker.now())
		close(kept.stopped)
		return ctx, kept
	}
	k.countKept(+1)
	k.locker.insert(kept)
	return ctx, kept
}

// countKept counts the keepings of the handle.
func (k *Lock) countKept(change int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept += change
}

// stop ends the keeping. A lock that was lost and may still have a row is given back in the background.
func (k *keeping) stop() {
	lost, first := k.end()
	if !first {
		return
	}
	if lost == nil || !mayStand(lost) {
		k.lock.locker.works.done()
		return
	}
	go func() {
		defer k.lock.locker.works.done()
		_, _ = k.lock.Release(context.Background())
	}()
}

// end takes the lock out of the keeper's care and ends the context. It returns the loss, if there was one by then, and
// whether it was the first to end the keeping.
func (k *keeping) end() (lost *LostError, first bool) {
	keeper := &k.lock.locker.keeper
	keeper.mu.Lock()
	defer keeper.mu.Unlock()
	delete(keeper.kept, k)
	k.tell(nil)
	select {
	case <-k.stopped:
		return k.lost, false
	default:
		close(k.stopped)
		k.lock.countKept(-1)
		return k.lost, true
	}
}

// mayStand reports whether a lock that was lost may still have its row.
func mayStand(lost *LostError) bool {
	return !errors.Is(lost, ErrTaken) && !errors.Is(lost, ErrReleased)
}

// marginOf returns how much time the work gets to end in when the lock is lost.
func marginOf(ttl domain.TTL) time.Duration { return min(ttl.Duration()/10, 10*time.Second) }

// lose declares the lock lost, for good.
func (k *keeping) lose(reason error, now time.Time) {
	left, _ := k.lock.standing(now)
	k.lost, k.lapsesAt = k.lock.lost(reason), now.Add(left)
	k.lock.end(reason)
	k.tell(k.lost)
}

// look returns how long nothing has to be done for the lock, and why it is lost if it is. Nothing left to wait for means that
// a renewal is due, which is slack earlier than it must be.
func (k *keeping) look(now time.Time, slack time.Duration) (quiet time.Duration, reason error) {
	left, over := k.lock.standing(now)
	quiet = left - k.margin
	if k.atMost > 0 {
		quiet = min(quiet, k.atMost-elapsed(k.lock.answered, now))
	}
	switch {
	case over != nil:
		return 0, over
	case quiet <= 0 && left > k.margin:
		return 0, ErrMaxHold
	case quiet <= 0:
		return 0, lapsed(k.trouble)
	case k.asking:
		return quiet, nil
	}
	ttl := k.lock.ttl.Duration()
	due := max(left-(ttl-ttl/3)-slack, k.retryAt.Sub(now))
	return max(0, min(quiet, due)), nil
}
