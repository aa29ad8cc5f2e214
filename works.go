package namedlock

import (
	"sync"
	"time"
)

// works counts what Close waits for: those who wait for a lock, and locks that are kept.
type works struct {
	mu     sync.Mutex
	closed bool
	count  int
	// idle is closed when the last work ended after finish had begun; nil before.
	idle chan struct{}
}

// begin counts a work, and reports whether it may begin: after finish none does.
func (w *works) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return false
	}
	w.count++
	return true
}

// done ends one work.
func (w *works) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count--
	if w.closed && w.count == 0 {
		close(w.idle)
	}
}

// finish lets no work begin any more and waits for those under way, for at most bound.
func (w *works) finish(bound time.Duration) {
	timer := time.NewTimer(bound)
	defer timer.Stop()
	select {
	case <-w.ending():
	case <-timer.C:
	}
}

// ending returns a channel that is closed when no work is left.
func (w *works) ending() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed, w.idle = true, make(chan struct{})
		if w.count == 0 {
			close(w.idle)
		}
	}
	return w.idle
}
