package domain

import (
	"fmt"
	"math"
	"time"
)

// TTL is for how long a lock is asked: the duration guard as a type that cannot be wrong. Only [NewTTL] makes one.
type TTL struct{ micros int64 }

// NewTTL returns the TTL of d. It returns ErrInvalidTTL when d is zero or negative (L9). A fraction of a microsecond is
// rounded up, never down to nothing, and any longer Duration up to the longest is kept (M4).
func NewTTL(d time.Duration) (TTL, error) {
	if d <= 0 {
		return TTL{}, fmt.Errorf("%w: the ttl must be positive, not %v", ErrInvalidTTL, d)
	}
	return TTL{microsUp(d)}, nil
}

// Micros returns the TTL in microseconds.
func (t TTL) Micros() int64 { return t.micros }

// Duration returns the TTL as a Duration, cut to the longest one where rounding up went beyond it.
func (t TTL) Duration() time.Duration {
	if t.micros > math.MaxInt64/int64(time.Microsecond) {
		return math.MaxInt64
	}
	return time.Duration(t.micros) * time.Microsecond
}

// Age is how long ago a lock has to have lapsed before a purge removes it. Only [NewAge] makes one; the zero Age takes
// everything that has lapsed.
type Age struct{ micros int64 }

// NewAge returns the age of d. It returns ErrInvalidTTL when d is negative: such a purge would remove live locks.
func NewAge(d time.Duration) (Age, error) {
	if d < 0 {
		return Age{}, fmt.Errorf("%w: the age of a purge must not be negative, not %v", ErrInvalidTTL, d)
	}
	return Age{microsUp(d)}, nil
}

// Micros returns the age in microseconds.
func (a Age) Micros() int64 { return a.micros }

// microsUp returns d in microseconds, rounded up. d is not negative.
func microsUp(d time.Duration) int64 {
	whole := int64(d / time.Microsecond)
	if d%time.Microsecond > 0 {
		whole++
	}
	return whole
}
