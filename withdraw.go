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

// withdrawAfter takes back, in the background, what claim may have been granted although its call ended in err (M8).
func (l *Locker) withdrawAfter(err error, claim domain.Claim) {
	if errors.Is(err, ports.ErrNoEffect) || errors.Is(err, ErrClosed) {
		return
	}
	l.withdrawals.begin(func() { l.withdraw(claim) })
}

// withdraw looks for the claim's grant at once, and again after growing pauses: the call that heard no answer may still
// arrive, and a store that is down may come back.
func (l *Locker) withdraw(claim domain.Claim) {
	ctx, cancel := context.WithTimeout(context.Background(), withdrawBound)
	defer cancel()
	for pause := firstPause; ; pause *= 3 {
		taken, err := l.repo.Withdraw(ctx, claim)
		if taken || errors.Is(err, ErrClosed) || err == nil && pause > lastPause {
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
