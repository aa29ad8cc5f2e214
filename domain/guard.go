package domain

// Guards reports whether work that relies on the grant may be carried out at an instant: the lock that stands is this very
// grant, and live. As no later grant stands beside it, it is also the newest of its name (M2).
func Guards(standing Lock, grant Grant, now Instant) bool {
	return standing.Exists() && standing.Grant() == grant && standing.LiveAt(now)
}
