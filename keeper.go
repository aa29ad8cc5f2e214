package namedlock

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// longestLook is how long the keeper goes without a look at the clocks: while a machine sleeps its timers sleep too (M7).
const longestLook = 2 * time.Second

// keeper cares for the locks of one Locker that are kept, in one goroutine that runs while there are any.
type keeper struct {
	// wake ends a nap. It is set before the first lock is kept.
	wake chan struct{}

	mu      sync.Mutex
	kept    map[*keeping]struct{}
	running bool
	// closed is why nothing is kept any more; nil while the locker is open.
	closed error
}

// hasten lets the keeper look again now.
func (p *keeper) hasten() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// insert puts a lock into the keeper's care.
func (l *Locker) insert(kept *keeping) {
	p := &l.keeper
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed != nil {
		kept.lose(p.closed, l.now())
		return
	}
	if p.kept == nil {
		p.kept = map[*keeping]struct{}{}
	}
	p.kept[kept] = struct{}{}
	if !p.running {
		p.running = true
		go l.keepAll()
		return
	}
	if quiet, _ := kept.look(l.now(), 0); quiet < longestLook {
		p.hasten()
	}
}

// keepAll looks at the locks, sends what is due and naps, until none is kept.
func (l *Locker) keepAll() {
	timer := time.NewTimer(longestLook)
	defer timer.Stop()
	for {
		look := l.keeper.look(l.now())
		for _, kept := range look.lost {
			kept.lock.observe(Lost, kept.lock.answered, kept.lost)
		}
		l.renewDue(look.due)
		if !look.more {
			return
		}
		if look.quiet > 0 {
			l.keeper.nap(timer, look.quiet)
		}
	}
}

// nap waits until something has to be done.
func (p *keeper) nap(timer *time.Timer, quiet time.Duration) {
	timer.Reset(quiet)
	select {
	case <-timer.C:
	case <-p.wake:
	}
}

// look is what the keeper saw: which locks are lost, which must be renewed now, for how long nothing else has to be done,
// and whether any is kept.
type look struct {
	lost, due []*keeping
	quiet     time.Duration
	more      bool
}

// look ends the keeping of what is lost, and gathers what is due.
func (p *keeper) look(now time.Time) look {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := look{quiet: longestLook}
	for kept := range p.kept {
		quiet, reason := kept.look(now, 0)
		if reason != nil {
			kept.lose(reason, now)
			delete(p.kept, kept)
			seen.lost = append(seen.lost, kept)
			continue
		}
		seen.quiet = min(seen.quiet, quiet)
	}
	if seen.quiet == 0 {
		seen.due = p.gather(now)
	}
	seen.more = len(p.kept) > 0
	p.running = seen.more
	return seen
}

// gather returns the locks whose renewal is due, and those whose renewal is nearly due along with them.
func (p *keeper) gather(now time.Time) []*keeping {
	var due []*keeping
	for kept := range p.kept {
		if quiet, _ := kept.look(now, kept.lock.ttl.Duration()/30); kept.asking || quiet > 0 {
			continue
		}
		if !kept.lock.beginTurn() {
			kept.retryAt = now.Add(retryPause(kept.lock.ttl))
			continue
		}
		kept.asking = true
		due = append(due, kept)
	}
	return due
}

// loseAll ends the keeping of every lock, for good.
func (p *keeper) loseAll(reason error) {
	for _, kept := range p.closeAll(reason) {
		kept.lock.observe(Lost, kept.lock.answered, kept.lost)
	}
}

func (p *keeper) closeAll(reason error) []*keeping {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = reason
	var lost []*keeping
	for kept := range p.kept {
		kept.lose(reason, kept.lock.locker.now())
		delete(p.kept, kept)
		lost = append(lost, kept)
	}
	p.hasten()
	return lost
}

// answered keeps what a renewal brought for a lock that is kept.
func (p *keeper) answered(kept *keeping, err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept.asking = false
	kept.trouble = err
	if err != nil {
		kept.retryAt = now.Add(retryPause(kept.lock.ttl))
		return
	}
	kept.margin = marginOf(kept.lock.ttl)
}

// isLost reports whether the lock was declared lost.
func (p *keeper) isLost(kept *keeping) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return kept.lost != nil
}

// lapsed is the reason of a lock that was not renewed in time.
func lapsed(trouble error) error {
	if trouble == nil {
		trouble = errors.New("the store did not answer")
	}
	return fmt.Errorf("%w: %w", ErrLapsed, trouble)
}
