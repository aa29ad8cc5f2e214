package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/alkstore/namedlock"
)

// longestLook is how long a lease goes without a look at the clocks: while a machine sleeps its timers sleep too.
const longestLook = time.Second

// lease is a lock that is kept, seen from a command that needs time to end before the lock does.
type lease struct {
	lock *namedlock.Lock
	ttl  time.Duration
	// grace is how long the command may take to end by itself.
	grace    time.Duration
	troubles *troubles
}

// loss tells that a lock cannot be counted on much longer.
type loss struct {
	reason error
	// grace is how long the command has to end by itself.
	grace time.Duration
}

func (l *loss) Error() string { return l.reason.Error() }

// watch returns a loss when the lock is lost, and while there is still time for the grace when it was not renewed. It
// returns nil when the keeping ends by our own will.
func (l lease) watch(kept context.Context) *loss {
	end := time.Now().Add(l.lock.Remaining())
	for {
		if kept.Err() != nil {
			return l.end(kept, end)
		}
		// A loss makes Remaining zero at once, and the command may still use what was left: the last end is remembered.
		if left := l.lock.Remaining(); left > 0 {
			end = time.Now().Add(left)
		}
		left := until(end)
		if left <= l.notice() {
			return &loss{reason: l.notRenewed(), grace: l.graceUntil(end)}
		}
		select {
		case <-kept.Done():
		case <-time.After(min(left-l.notice(), longestLook)):
		}
	}
}

// end tells of the loss that ended the keeping, if one did.
func (l lease) end(kept context.Context, end time.Time) *loss {
	var lost *namedlock.LostError
	if !errors.As(context.Cause(kept), &lost) {
		return nil
	}
	return &loss{reason: lost.Reason, grace: l.graceUntil(end)}
}

// notice is how much time must be left when the command is told: its grace, and what it takes to end it by force.
func (l lease) notice() time.Duration { return l.grace + l.reserve() }

// reserve is what is left for the force.
func (l lease) reserve() time.Duration { return min(l.ttl/20, time.Second) }

// graceUntil returns the grace for a lock that ends then: the force comes before the end.
func (l lease) graceUntil(end time.Time) time.Duration {
	return max(0, min(l.grace, until(end)-l.reserve()))
}

// until returns how much time is left until end by the clock that leaves less: the one stands still while the machine
// sleeps, the other can be set.
func until(end time.Time) time.Duration {
	now := time.Now()
	return min(end.Sub(now), end.Round(0).Sub(now.Round(0)))
}

// notRenewed tells what the store said last.
func (l lease) notRenewed() error {
	if trouble := l.troubles.last(); trouble != nil {
		return fmt.Errorf("%w: %w", namedlock.ErrLapsed, trouble)
	}
	return fmt.Errorf("%w: the store did not answer", namedlock.ErrLapsed)
}

// troubles hears why renewals fail.
type troubles struct {
	mu    sync.Mutex
	error error
}

// Observe keeps the last failure until a renewal succeeds.
func (t *troubles) Observe(event namedlock.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch event.Kind {
	case namedlock.RenewalFailed:
		t.error = event.Err
	case namedlock.Renewed:
		t.error = nil
	}
}

func (t *troubles) last() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.error
}
