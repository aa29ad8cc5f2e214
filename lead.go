package namedlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alkstore/namedlock/domain"
)

const (
	// shortestTerm is the shortest ttl that a leader can renew with some certainty.
	shortestTerm = 100 * time.Millisecond
	// longestHoldBack is how long a leader that resigned lets the others go first, at most.
	longestHoldBack = time.Second
)

// Lead campaigns for the office name and runs work whenever it is held, one term after the other, until ctx ends. Among the
// callers that give different owners at most one leads; draw the owner with [NewOwner].
//
// The context of work ends, before anybody else can lead, when the office is lost, as for [Lock.Keep]; Lead waits for work
// to return, and campaigns again. Work that returns nil by itself resigns: the others go first, for a third of the ttl and
// at most a second, and then Lead campaigns again. Work that fails ends the campaign with its error. A store that cannot
// answer does not: it is asked again until it can.
//
// When ctx ends the context of work does too, Lead waits for work to return and gives the office up at once, so that a
// successor need not wait for the ttl, and returns nil, or the error of the work if that is another than the end of its
// context. The input is checked as for [Locker.TryLock]; a ttl below 100 milliseconds is ErrInvalidTTL. After Close the
// error is ErrClosed. One Locker can lead under many names at the same time.
func (l *Locker) Lead(ctx context.Context, name, owner string, ttl time.Duration, work func(context.Context) error) error {
	claim, err := newClaim(name, owner, ttl)
	if err == nil && ttl < shortestTerm {
		err = fmt.Errorf("%w: a leader cannot renew a ttl of %v in time, give %v or more", ErrInvalidTTL, ttl, shortestTerm)
	}
	if err != nil {
		return failed("lead", name, err)
	}
	for ctx.Err() == nil {
		resigned, err := l.lead(ctx, claim, work)
		if err != nil {
			return err
		}
		if resigned {
			slept(ctx, min(ttl/3, longestHoldBack))
		}
	}
	return nil
}

// lead campaigns and serves one term. It reports whether the term ended because work was done, and returns an error when
// there must be no other.
func (l *Locker) lead(ctx context.Context, claim domain.Claim, work func(context.Context) error) (resigned bool, err error) {
	lock, err := l.campaign(ctx, claim)
	if err != nil {
		return false, failed("lead", claim.Name.String(), err)
	}
	if lock == nil {
		return false, nil
	}
	done, trouble := lock.run(ctx, work, terms{})
	told := ctx.Err() != nil || isLoss(trouble)
	switch {
	case done != nil && (!told || !isEndOfContext(done)):
		return false, joined(done, trouble)
	case errors.Is(trouble, ErrClosed):
		return false, failed("lead", claim.Name.String(), trouble)
	}
	return !told, nil
}

// campaign waits for the lock as long as ctx lives, whatever the store fails to answer. It returns nil when ctx ends.
func (l *Locker) campaign(ctx context.Context, claim domain.Claim) (*Lock, error) {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		lock, err := l.wait(ctx, claim)
		switch {
		case err == nil || errors.Is(err, ErrClosed):
			return lock, err
		case !slept(ctx, varied(pause)):
			return nil, nil
		}
	}
}

// isLoss reports whether the lock was lost while it was kept.
func isLoss(err error) bool {
	var lost *LostError
	return errors.As(err, &lost)
}

// isEndOfContext reports whether work only tells that it was told to end.
func isEndOfContext(err error) bool {
	return isLoss(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
