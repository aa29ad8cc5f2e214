package namedlock

import (
	"time"

	"github.com/alkstore/namedlock/ports"
)

// Locker gives out locks of one store. Make one with [New] and keep it. It is safe for concurrent use, keeps no
// connection between calls (M9), and has nothing to do with sync.Locker.
type Locker struct {
	repo ports.Repository
	// now is the clock of local deadlines (M7); tests replace it.
	now func() time.Time
	// askers keep calls of one owner for one name apart.
	askers askers
}

// New returns a Locker on repo. It asks the store nothing. A nil repo is a mistake in the program, and panics.
func New(repo ports.Repository) *Locker {
	if repo == nil {
		panic("namedlock: New needs a repository")
	}
	return &Locker{repo: repo, now: time.Now}
}

// Close waits for attempts to take back what unanswered calls may have got, at most five seconds, and then closes the
// repository, which closes what it opened and nothing that it was given (M10). Locks that are held stay held until their
// deadline: release them first. Every later operation returns ErrClosed (L11). Closing twice is fine.
func (l *Locker) Close() error {
	l.askers.finish()
	return l.repo.Close()
}
