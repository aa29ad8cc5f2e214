package domain

// Acquire decides what a claim gets at now, given the lock that stands under its name (the zero Lock: none). A lock that
// nobody holds goes to the asker, under the token next (L4, M2). One that the same owner holds is granted again as it is:
// same token, deadline not moved (L5). Anybody else's live lock refuses, and is shown (L1, L2, M6).
func Acquire(standing Lock, claim Claim, next Token, now Instant) Verdict {
	if standing.LiveAt(now) {
		return Verdict{Granted: standing.Owner() == claim.Owner, Lock: standing, At: now}
	}
	return Verdict{Granted: true, Lock: claim.granted(next, now), At: now}
}

// granted returns the lock that the claim becomes.
func (c Claim) granted(token Token, now Instant) Lock {
	return Lock{
		grant:      Grant{Name: c.Name, Owner: c.Owner, Token: token},
		claim:      c.ID,
		acquiredAt: now,
		deadline:   now.After(c.TTL),
	}
}
