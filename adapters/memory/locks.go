package memory

import (
	"context"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Acquire decides as [domain.Acquire] does.
func (r *Repository) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	if err := r.enter(ctx); err != nil {
		return domain.Verdict{}, err
	}
	defer r.mu.Unlock()
	verdict := domain.Acquire(r.locks[claim.Name], claim, r.last+1, r.now())
	if verdict.Lock.Token() > r.last {
		r.last = verdict.Lock.Token()
		r.locks[claim.Name] = verdict.Lock
	}
	return verdict, nil
}

// Renew decides as [domain.Renew] does.
func (r *Repository) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	if err := r.enter(ctx); err != nil {
		return domain.Verdict{}, err
	}
	defer r.mu.Unlock()
	return r.renew(grant, ttl, r.now()), nil
}

// RenewBatch decides each as [domain.Renew] does, all at one instant. Nobody is ever busy with a row here.
func (r *Repository) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.mu.Unlock()
	now := r.now()
	answers := make([]ports.Renewed, len(renewals))
	for i, renewal := range renewals {
		answers[i].Verdict = r.renew(renewal.Grant, renewal.TTL, now)
	}
	return answers, nil
}

// renew carries out one renewal.
func (r *Repository) renew(grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
	verdict := domain.Renew(r.locks[grant.Name], grant, ttl, now)
	if verdict.Granted {
		r.locks[grant.Name] = verdict.Lock
	}
	return verdict
}

// Release decides as [domain.Releases] does.
func (r *Repository) Release(ctx context.Context, grant domain.Grant) (bool, error) {
	return r.remove(ctx, grant.Name, func(standing domain.Lock) bool { return domain.Releases(standing, grant) })
}

// Withdraw decides as [domain.Withdraws] does. No call is ever under way here: an Acquire that failed was not carried out.
func (r *Repository) Withdraw(ctx context.Context, claim domain.Claim) (bool, error) {
	return r.remove(ctx, claim.Name, func(standing domain.Lock) bool { return domain.Withdraws(standing, claim) })
}

// Break decides as [domain.Breaks] does.
func (r *Repository) Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error) {
	return r.remove(ctx, name, func(standing domain.Lock) bool { return domain.Breaks(standing, name, seen) })
}

// remove deletes the row of name if the rule says so, and reports whether it did.
func (r *Repository) remove(ctx context.Context, name domain.Name, rule func(domain.Lock) bool) (bool, error) {
	if err := r.enter(ctx); err != nil {
		return false, err
	}
	defer r.mu.Unlock()
	if !rule(r.locks[name]) {
		return false, nil
	}
	delete(r.locks, name)
	r.board.Ring(name)
	return true, nil
}
