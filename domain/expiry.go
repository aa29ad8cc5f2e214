package domain

// LiveAt reports whether the lock is held at now. The deadline itself is lapsed, in every store (L3). This is the one
// place that decides it.
func (l Lock) LiveAt(now Instant) bool { return l.Exists() && now.Before(l.deadline) }

// Purges reports whether a purge at now removes a lock that lapsed at least age ago. A live lock is never removed.
func Purges(standing Lock, age Age, now Instant) bool {
	return !standing.LiveAt(now.Ago(age))
}
