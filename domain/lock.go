package domain

// Lock is one row of a store: a grant, and until when it is held. It is a value; the zero Lock stands for "no row" and is
// never live. The handle that users hold is namedlock.Lock: it shares the noun and adds renewing and releasing.
type Lock struct {
	grant      Grant
	claim      ClaimID
	acquiredAt Instant
	deadline   Instant
}

// Restore returns a lock that a store has kept. It never judges: a lapsed row must load, and so must one that today's
// rules would refuse.
func Restore(grant Grant, claim ClaimID, acquiredAt, deadline Instant) Lock {
	return Lock{grant: grant, claim: claim, acquiredAt: acquiredAt, deadline: deadline}
}

// Exists reports whether the lock is a row at all, live or lapsed.
func (l Lock) Exists() bool { return l.grant.Token != 0 }

// Grant returns whose holding this is.
func (l Lock) Grant() Grant { return l.grant }

// Name returns what is locked.
func (l Lock) Name() Name { return l.grant.Name }

// Owner returns who holds it, or held it last.
func (l Lock) Owner() Owner { return l.grant.Owner }

// Token returns the number of the grant.
func (l Lock) Token() Token { return l.grant.Token }

// Claim returns which call of acquire made the grant.
func (l Lock) Claim() ClaimID { return l.claim }

// AcquiredAt returns the instant at which the grant was made.
func (l Lock) AcquiredAt() Instant { return l.acquiredAt }

// Deadline returns the first instant at which the lock is no longer held.
func (l Lock) Deadline() Instant { return l.deadline }
