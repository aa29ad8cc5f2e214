package namedlock

import "fmt"

// HeldError tells that a lock was not granted because somebody else holds it: from [Locker.Do] with [NoWait], and in the
// chain of the error of a wait that ended in vain. [Locker.TryLock] gives the incumbent as a value instead (L2).
type HeldError struct {
	// Incumbent is the lock that stood in the way, as it was last seen (M6).
	Incumbent Incumbent
}

// Error says who holds the lock.
func (e *HeldError) Error() string {
	return fmt.Sprintf("held by %q, token %d", e.Incumbent.Owner, e.Incumbent.Token)
}
