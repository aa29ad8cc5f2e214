package namedlock

import (
	"context"
	"slices"
	"sync"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// lostClaims are the claims whose calls heard no answer, while attempts to take back what they got are under way. None
// begins once Close has come.
type lostClaims struct {
	mu      sync.Mutex
	closed  bool
	claims  []*lostClaim
	pending sync.WaitGroup
}

// lostClaim is one of them.
type lostClaim struct {
	claim domain.Claim
	// turn is held while the store is asked about the claim, or for a grant that may turn out to be the claim's.
	turn chan struct{}
	// kept is set when a later call of the same owner was granted what this one got.
	kept bool
}

// add begins to take back what the claim may have got.
func (l *lostClaims) add(claim domain.Claim, withdraw func(*lostClaim)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	lost := &lostClaim{claim: claim, turn: make(chan struct{}, 1)}
	l.claims = append(l.claims, lost)
	l.pending.Go(func() {
		withdraw(lost)
		l.remove(lost)
	})
}

func (l *lostClaims) remove(lost *lostClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims = slices.DeleteFunc(l.claims, func(other *lostClaim) bool { return other == lost })
}

// of returns the lost claims of the same owner for the same name, in the order in which they were lost.
func (l *lostClaims) of(claim domain.Claim) (same []*lostClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lost := range l.claims {
		if lost.claim.Name == claim.Name && lost.claim.Owner == claim.Owner {
			same = append(same, lost)
		}
	}
	return same
}

// pause keeps the attempts for the same owner and name from asking the store until settle is called with what was granted
// meanwhile.
func (l *lostClaims) pause(ctx context.Context, claim domain.Claim) (settle func(domain.Verdict), err error) {
	same := l.of(claim)
	for i, lost := range same {
		select {
		case lost.turn <- struct{}{}:
		case <-ctx.Done():
			resume(same[:i], domain.Verdict{})
			return nil, ctx.Err()
		}
	}
	return func(verdict domain.Verdict) { resume(same, verdict) }, nil
}

// resume lets attempts go on, except one for the grant that somebody has now.
func resume(claims []*lostClaim, granted domain.Verdict) {
	for _, lost := range claims {
		lost.kept = lost.kept || granted.Granted && granted.Lock.Claim() == lost.claim.ID
		<-lost.turn
	}
}

// look withdraws the claim, unless it is kept, and reports whether that is the end of it.
func (l *lostClaim) look(ctx context.Context, repo ports.Repository) (done bool, err error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return true, ctx.Err()
	}
	if l.kept {
		return true, nil
	}
	return repo.Withdraw(ctx, l.claim)
}

// finish lets no attempt begin any more and waits for those under way.
func (l *lostClaims) finish() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.pending.Wait()
}
