package domain

import (
	"math"
	"time"
)

// Instant is a point in time in microseconds since 1970, the precision that every store keeps (M4). It carries no zone
// and no monotonic reading: it is what one clock said once.
type Instant int64

// InstantOf returns the instant of a clock's reading, cut to the microsecond.
func InstantOf(t time.Time) Instant { return Instant(t.UnixMicro()) }

// Time returns the instant as a time in UTC.
func (i Instant) Time() time.Time { return time.UnixMicro(int64(i)).UTC() }

// Micros returns the microseconds since 1970, for stores that keep whole numbers.
func (i Instant) Micros() int64 { return int64(i) }

// Before reports whether i is earlier than other.
func (i Instant) Before(other Instant) bool { return i < other }

// After returns the instant ttl later. It never wraps: beyond the last instant lies the last instant (M4).
func (i Instant) After(ttl TTL) Instant {
	if int64(i) > math.MaxInt64-ttl.micros {
		return math.MaxInt64
	}
	return i + Instant(ttl.micros)
}

// Ago returns the instant that lies age before i. It never wraps.
func (i Instant) Ago(age Age) Instant {
	if int64(i) < math.MinInt64+age.micros {
		return math.MinInt64
	}
	return i - Instant(age.micros)
}

// Until returns how long it is from i to other, negative when other is earlier. What no Duration can hold is cut to the
// longest one that can.
func (i Instant) Until(other Instant) time.Duration {
	return other.Time().Sub(i.Time())
}
