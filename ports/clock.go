package ports

import "time"

// Clock tells the time by which a store judges. It is asked once for each decision (L15), at the moment when nothing can
// delay the decision any more (M3), and from several goroutines at once.
type Clock interface {
	// Now returns the present instant. Stores keep its microseconds (M4).
	Now() time.Time
}

// SystemClock is the clock of this machine.
type SystemClock struct{}

// Now returns time.Now().
func (SystemClock) Now() time.Time { return time.Now() }
