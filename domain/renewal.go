package domain

// Renew decides what a renewal of grant makes of the lock that stands at now. The new deadline is a full window from now:
// not added to the old one, and earlier than it if the ttl is shorter (L6). A grant that has lapsed is refused even if
// nobody took the name, and so is one that somebody else's grant, or nothing, has replaced (L7, M1): the zero Verdict.
func Renew(standing Lock, grant Grant, ttl TTL, now Instant) Verdict {
	if standing.Grant() != grant || !standing.LiveAt(now) {
		return Verdict{}
	}
	standing.deadline = now.After(ttl)
	return Verdict{Granted: true, Lock: standing, At: now}
}
