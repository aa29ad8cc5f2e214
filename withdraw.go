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

// acquire asks the store, and takes back, in the background, what the claim may have been granted if the call hears no
// answer (M8). Where the same owner lost an answer for the same name just before, what that call got is either gone by now or
// what this one is granted, and then it is kept.
func (l *Locker) acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	settle, err := l.lost.pause(ctx, claim)
	if err != nil {
		return domain.Verdict{}, ports.NoEffect(err)
	}
	verdict, err := l.repo.Acquire(ctx, claim)
	settle(verdict)
	if err != nil && !errors.Is(err, ports.ErrNoEffect) && !errors.Is(err, ErrClosed) {
		l.lost.add(claim, l.withdraw)
	}
	return verdict, err
}

// withdraw looks for the grant of a lost claim at once, and again after growing pauses: the call that heard no answer may
// still arrive, and a store that is down may come back.
func (l *Locker) withdraw(lost *lostClaim) {
	ctx, cancel := context.WithTimeout(context.Background(), withdrawBound)
	defer cancel()
	for pause := firstPause; ; pause *= 3 {
		done, err := lost.look(ctx, l.repo)
		if done || errors.Is(err, ErrClosed) || err == nil && pause > lastPause {
			return
		}
		if !slept(ctx, pause) {
			return
		}
	}
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
