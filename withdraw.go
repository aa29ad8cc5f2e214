package namedlock

import (
	"context"
	"errors"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

const (
	// withdrawBound ends an attempt to take back what an unanswered call may have got.
	withdrawBound = 5 * time.Second
	// firstPause is the time between the first two looks; each later pause is three times as long.
	firstPause = 50 * time.Millisecond
	// lastPause is the longest pause after which a look that finds nothing is believed: the call is not on its way any more.
	lastPause = 450 * time.Millisecond
)

// acquire asks the store when no other call speaks for the owner and the name, and returns when it began to ask. It takes
// back, in the background, what the claim may have been granted if the call hears no answer (M8).
func (l *Locker) acquire(ctx context.Context, claim domain.Claim) (verdict domain.Verdict, started time.Time, err error) {
	if l.open.Err() != nil {
		return domain.Verdict{}, time.Time{}, ErrClosed
	}
	who := asker{claim.Name, claim.Owner}
	if err := l.askers.enter(ctx, who); err != nil {
		return domain.Verdict{}, time.Time{}, ports.NoEffect(err)
	}
	defer func() { l.askers.leave(who, verdict) }()
	started = l.now()
	verdict, err = l.repo.Acquire(ctx, claim)
	if err != nil && !errors.Is(err, ports.ErrNoEffect) && !errors.Is(err, ErrClosed) {
		l.askers.lose(who, func(t *turns) { l.withdraw(t, claim) })
	}
	l.acquireFailed(claim, err, started)
	return verdict, started, err
}

// acquireFailed tells the observer, unless there was no failure, or it was the caller who gave up.
func (l *Locker) acquireFailed(claim domain.Claim, err error, started time.Time) {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ErrClosed) {
		return
	}
	l.observe(Event{
		Kind: AcquireFailed, Name: claim.Name.String(), Owner: claim.Owner.String(), Took: l.now().Sub(started), Err: err,
	})
}

// withdraw looks for the grant of a lost claim at once, and again after growing pauses: the call that heard no answer may
// still arrive, and a store that is down may come back.
func (l *Locker) withdraw(t *turns, claim domain.Claim) {
	ctx, cancel := context.WithTimeout(context.Background(), withdrawBound)
	defer cancel()
	for pause := firstPause; ; pause *= 3 {
		done, err := l.look(ctx, t, claim)
		if done || errors.Is(err, ErrClosed) || err == nil && pause > lastPause {
			return
		}
		if !slept(ctx, pause) {
			return
		}
	}
}

// look withdraws the claim, unless somebody has its grant now, and reports whether that is the end of it.
func (l *Locker) look(ctx context.Context, t *turns, claim domain.Claim) (done bool, err error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return true, ctx.Err()
	}
	if l.askers.isGranted(t, claim) {
		return true, nil
	}
	return l.repo.Withdraw(ctx, claim)
}

// slept waits for d and reports whether ctx outlived it.
func slept(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
