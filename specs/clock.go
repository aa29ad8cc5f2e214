package specs

import (
	"sync"
	"time"
)

// Clock is a clock that moves when it is told to: the clock to inject into a store under test, so that no spec waits for
// time to pass. It implements ports.Clock and is safe for concurrent use. Make one with [NewClock].
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	stride time.Duration
}

// NewClock returns a Clock that stands at a fixed date. The date has odd microseconds, and nanoseconds that no store may
// keep (M4).
func NewClock() *Clock {
	return &Clock{now: time.Date(2027, time.March, 14, 15, 9, 26, 535_897_932, time.UTC)}
}

// Now returns the present instant, and moves the clock on by its stride, if it has one.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now
	c.now = now.Add(c.stride)
	return now
}

// Advance moves the clock on by d.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Stride makes each reading move the clock on by d, so that whoever reads it twice sees two instants (L15). With zero it
// stands still between readings, as at first.
func (c *Clock) Stride(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stride = d
}
