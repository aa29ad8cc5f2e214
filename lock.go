package namedlock

import (
	"sync"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Token is the number of a grant: for one name every later grant has a larger one, for ever (M2). A resource that
// remembers the largest token it saw can refuse a holder that woke up too late.
type Token = domain.Token

// Lock is a handle on a lock that was granted. It speaks for one grant: once that was released, lapsed, was broken or
// taken over, the handle can neither prolong nor free what came after, not even for the same owner (M1). What it answers
// comes from the store each time (L8); only Deadline and Remaining are remembered.
//
// domain.Lock, the row with its rules, shares the noun. A Lock is safe for concurrent use. It needs no clean-up: a handle
// that is forgotten lapses.
type Lock struct {
	locker *Locker
	grant  domain.Grant
	// ttl is what was asked for, and what keeping renews to.
	ttl domain.TTL
	// shared is whether the grant stood before it was asked for here.
	shared bool
	// answered is when the grant was known here: the store made it no later.
	answered time.Time

	mu       sync.Mutex
	deadline domain.Instant
	tenure   tenure
	// turn is held by the one renewal that is under way; nil before the first.
	turn chan struct{}
	// kept counts how often the lock is being kept.
	kept int
	// over is why this handle cannot count on its grant any more: it was released, or learned that it is lost. It bounds
	// Remaining, ends keeping, and answers nothing else.
	over error
}

// handle wraps the grant that a claim, in a call begun at started, was given.
func (l *Locker) handle(verdict domain.Verdict, claim domain.Claim, started time.Time) *Lock {
	return &Lock{
		locker:   l,
		grant:    verdict.Lock.Grant(),
		ttl:      claim.TTL,
		shared:   verdict.Lock.Claim() != claim.ID,
		answered: l.now(),
		deadline: verdict.Lock.Deadline(),
		tenure:   tenureOf(verdict, started),
	}
}

// Name returns the name that is locked.
func (k *Lock) Name() string { return k.grant.Name.String() }

// Owner returns the owner that it is locked for.
func (k *Lock) Owner() string { return k.grant.Owner.String() }

// Token returns the number of the grant.
func (k *Lock) Token() Token { return k.grant.Token }

// Grant returns the identity of the grant that the handle speaks for, as the guards of the SQL adapters take it.
func (k *Lock) Grant() domain.Grant { return k.grant }

// Shared reports whether the grant stood already when this handle asked for it: then the same owner holds it by another
// handle too, here or elsewhere, and a release by either ends it for both (L5). Whoever must be alone, and is not certain
// that its owner is nobody else's, leaves a shared lock alone.
func (k *Lock) Shared() bool { return k.shared }

// Deadline returns the first instant at which the lock is no longer held, by the clock of the store, as this handle last
// heard it (L5). To decide how long to go on working use Remaining: this host's clock may disagree with the store's.
func (k *Lock) Deadline() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.deadline.Time()
}

// Remaining returns how long the holder can count on the lock without asking the store: never longer than the store would
// say, counted from before the last request that set the deadline, by the monotonic or the wall clock of this machine,
// whichever says that more time has passed (M7). It is zero once the time is up, the handle was released, or a renewal was
// refused.
//
// It knows what went through this handle. Another handle on the same grant, of the same owner (L5), may have shortened or
// released it, and an operator may have broken it.
func (k *Lock) Remaining() time.Duration {
	left, _ := k.standing(k.locker.now())
	return left
}

// standing returns how long the handle can count on its grant from now on, and why not at all if something ended it.
func (k *Lock) standing(now time.Time) (left time.Duration, over error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over != nil {
		return 0, k.over
	}
	return k.tenure.left(now), nil
}
