package namedlock

import (
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Entry is a lock as the store showed it at one instant. It is a value and does not change.
type Entry struct {
	// Name is what is locked, and Owner is who holds it, or held it last.
	Name, Owner string
	// Token is the number of the grant: what [Locker.Break] asks for.
	Token Token
	// AcquiredAt is the instant at which the grant was made, and Deadline the first one at which it is no longer held. Both
	// are by the clock of the store.
	AcquiredAt, Deadline time.Time
	// SeenAt is the instant of the look by the same clock.
	SeenAt time.Time
}

// Incumbent is the entry that stood in the way of a refused try: somebody else's lock, live at SeenAt (M6).
type Incumbent = Entry

// Lapsed reports whether the lock was no longer held when it was seen. At the deadline itself it has lapsed (L3).
func (e Entry) Lapsed() bool { return !e.SeenAt.Before(e.Deadline) }

// Remaining returns how long the lock was still held from SeenAt on, unless it is renewed or released, and zero when it
// had lapsed.
func (e Entry) Remaining() time.Duration { return max(0, e.Deadline.Sub(e.SeenAt)) }

// entryOf shows a row to the user.
func entryOf(sighting domain.Sighting) Entry {
	lock := sighting.Lock
	return Entry{
		Name:       lock.Name().String(),
		Owner:      lock.Owner().String(),
		Token:      lock.Token(),
		AcquiredAt: lock.AcquiredAt().Time(),
		Deadline:   lock.Deadline().Time(),
		SeenAt:     sighting.At.Time(),
	}
}
