package namedlock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
	"unicode/utf8"

	"github.com/alkstore/namedlock/domain"
)

// TryLock asks once for the lock name and does not wait for its holder. Exactly one of the three results is set:
//
//   - a lock, when it was free or had lapsed, and also when the same owner holds it already: then the handle is another
//     one for the same grant, with the same token and the deadline not moved, and a release by either ends it for both (L5);
//   - the incumbent, when another owner holds it: an answer and not an error (L2, M6);
//   - an error, when the input is invalid or the store could not answer.
//
// ttl is how long the lock is held unless it is renewed. It must be positive (L9); less than a microsecond counts as one,
// and the longest Duration is a lock that is held (M4). The input is checked in the order name, owner, ttl, before the
// store is asked: ErrInvalidName, ErrReservedName, ErrInvalidTTL; then ErrClosed.
//
// The call lasts no longer than ctx. When it fails after the store was asked, the library looks in the background for what
// it may have got, for at most five seconds, and gives it back (M8); what cannot be given back lapses at its deadline.
// Among concurrent calls for one name by different owners at most one is granted (L1).
func (l *Locker) TryLock(ctx context.Context, name, owner string, ttl time.Duration) (*Lock, *Incumbent, error) {
	claim, err := newClaim(name, owner, ttl)
	if err != nil {
		return nil, nil, failed("try", name, err)
	}
	verdict, started, err := l.acquire(ctx, claim)
	if err != nil {
		return nil, nil, failed("try", name, err)
	}
	if !verdict.Granted {
		incumbent := l.refused(claim, verdict)
		return nil, &incumbent, nil
	}
	return l.grant(verdict, claim, started, started), nil, nil
}

// grant makes the handle of a claim that was granted, and tells the observer. The caller has waited since began.
func (l *Locker) grant(verdict domain.Verdict, claim domain.Claim, started, began time.Time) *Lock {
	lock := l.handle(verdict, claim, started)
	lock.observe(Granted, began, nil)
	return lock
}

// refused returns the incumbent that a claim met, and tells the observer.
func (l *Locker) refused(claim domain.Claim, verdict domain.Verdict) Incumbent {
	incumbent := entryOf(domain.Sighting{Lock: verdict.Lock, At: verdict.At})
	l.observe(Event{Kind: Refused, Name: claim.Name.String(), Owner: claim.Owner.String(), Incumbent: &incumbent})
	return incumbent
}

// newClaim parses the caller's words. After it nobody checks them again.
func newClaim(name, owner string, ttl time.Duration) (domain.Claim, error) {
	n, err := domain.NewName(name)
	if err != nil {
		return domain.Claim{}, err
	}
	o, err := domain.NewOwner(owner)
	if err != nil {
		return domain.Claim{}, err
	}
	t, err := domain.NewTTL(ttl)
	if err != nil {
		return domain.Claim{}, err
	}
	return domain.Claim{ID: newClaimID(), Name: n, Owner: o, TTL: t}, nil
}

// newClaimID returns a number that tells one call of acquire from every other (M8).
func newClaimID() domain.ClaimID { return domain.ClaimID(rand.Int64()) }

// failed tells what was attempted on which name. Of a very long name it shows the beginning.
func failed(attempt, name string, err error) error {
	const longest = 64
	if len(name) <= longest {
		return fmt.Errorf("namedlock: %s %q: %w", attempt, name, err)
	}
	shown := longest
	for shown > longest-utf8.UTFMax && !utf8.RuneStart(name[shown]) {
		shown--
	}
	return fmt.Errorf("namedlock: %s %q...: %w", attempt, name[:shown], err)
}
