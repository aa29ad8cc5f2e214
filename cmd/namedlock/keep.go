package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alkstore/namedlock"
)

const (
	longestNotice  = 10 * time.Second
	longestAttempt = 10 * time.Second
	longestPause   = time.Second
	// longestLook is how long the keeper goes without a look at the clocks: while a machine sleeps its timers sleep too.
	longestLook = time.Second
)

// keeper renews a lock for as long as it is needed.
type keeper struct {
	lock *namedlock.Lock
	ttl  time.Duration
}

// loss tells that a lock cannot be counted on much longer.
type loss struct {
	reason error
	// grace is how long the command has to end by itself.
	grace time.Duration
}

func (l *loss) Error() string { return l.reason.Error() }

// answer is what one renewal brought.
type answer struct {
	refused bool
	err     error
}

// keep renews the lock whenever a third of its ttl is used, and tries again when the store does not answer. It returns nil
// when ctx ends. It returns a loss as soon as a renewal is refused, and when the time that is left comes down to the
// notice, also while the store is still being asked.
func (k keeper) keep(ctx context.Context) *loss {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answers := make(chan answer)
	go k.renew(ctx, answers)

	end, trouble := k.end(), errors.New("the store did not answer")
	for {
		left := until(end)
		if left <= k.notice() {
			return k.loss(fmt.Errorf("it was not renewed in time: %w", trouble), left)
		}
		select {
		case <-ctx.Done():
			return nil
		case a := <-answers:
			switch {
			case a.refused:
				return k.loss(errors.New("the renewal was refused: it had lapsed, or was broken"), until(end))
			case a.err != nil:
				trouble = a.err
			default:
				end = k.end()
			}
		case <-time.After(min(left-k.notice(), longestLook)):
		}
	}
}

// end returns until when the lock can be counted on, as of now. It is remembered, because a refusal makes Remaining zero at
// once, and the command may still use what was left to end by itself.
func (k keeper) end() time.Time { return time.Now().Add(k.lock.Remaining()) }

// until returns how much time is left until end by the clock that leaves less: the one stands still while the machine
// sleeps, the other can be set.
func until(end time.Time) time.Duration {
	now := time.Now()
	return min(end.Sub(now), end.Round(0).Sub(now.Round(0)))
}

// renew asks for a renewal whenever one is due, until one is refused or ctx ends.
func (k keeper) renew(ctx context.Context, answers chan<- answer) {
	for k.waitUntilDue(ctx) {
		a := k.ask(ctx)
		select {
		case answers <- a:
		case <-ctx.Done():
		}
		if a.refused || a.err != nil && !slept(ctx, min(k.ttl/60, longestPause)) {
			return
		}
	}
}

// waitUntilDue waits until a third of the ttl is used, and reports whether ctx has not ended.
func (k keeper) waitUntilDue(ctx context.Context) bool {
	for {
		left := k.lock.Remaining() - k.ttl/3*2
		if left <= 0 {
			return ctx.Err() == nil
		}
		if !slept(ctx, min(left, longestLook)) {
			return false
		}
	}
}

// slept waits for d and reports whether ctx outlived it.
func slept(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// ask asks for one renewal. It waits for the answer only so long that another attempt can follow.
func (k keeper) ask(ctx context.Context) answer {
	ctx, cancel := context.WithTimeout(ctx, min(k.ttl/6, longestAttempt))
	defer cancel()
	renewed, err := k.lock.Renew(ctx, k.ttl)
	return answer{refused: err == nil && !renewed, err: err}
}

// notice is how much time must be left for the command to be ended in: a quarter of the ttl, but not endless.
func (k keeper) notice() time.Duration { return min(k.ttl/4, longestNotice) }

// loss returns the loss of a lock with that much time left. The command may use two thirds of the notice; the rest is for
// the signal that it cannot resist.
func (k keeper) loss(reason error, left time.Duration) *loss {
	return &loss{reason: reason, grace: max(0, min(left, k.notice())-k.notice()/3)}
}
