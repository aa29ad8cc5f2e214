package sqlite

import (
	"context"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Acquire decides as [domain.Acquire] does. It looks first: who meets a live lock is answered without the writer.
func (r *Repository) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	if err := r.enter(ctx); err != nil {
		return domain.Verdict{}, err
	}
	verdict, err := read(ctx, r.handle, func(q *sqlitedb.Queries) (domain.Verdict, error) { return r.standing(q, claim) })
	if err != nil || verdict.Lock.Exists() {
		return verdict, err
	}
	err = r.write(ctx, func(tx transaction) (err error) {
		verdict, err = r.take(tx, claim)
		return err
	})
	if err != nil {
		return domain.Verdict{}, err
	}
	return verdict, nil
}

// standing returns the verdict of a lock that is live, and the zero Verdict when none is.
func (r *Repository) standing(q *sqlitedb.Queries, claim domain.Claim) (domain.Verdict, error) {
	lock, err := find(q, claim.Name)
	if err != nil || !lock.Exists() {
		return domain.Verdict{}, err
	}
	now := r.now()
	if !lock.LiveAt(now) {
		return domain.Verdict{}, nil
	}
	return domain.Acquire(lock, claim, 0, now), nil
}

// take makes a new grant, unless a rival was faster. The clock is read here, where nobody can delay the decision any more
// (M3), and the grant is what was read back (L14).
func (r *Repository) take(tx transaction, claim domain.Claim) (domain.Verdict, error) {
	now := r.now()
	rows, err := tx.Acquire(context.Background(), sqlitedb.AcquireParams{
		Name:       claim.Name.String(),
		Owner:      claim.Owner.String(),
		Claim:      int64(claim.ID),
		AcquiredAt: now.Micros(),
		Deadline:   now.After(claim.TTL).Micros(),
	})
	if err != nil {
		return domain.Verdict{}, err
	}
	if len(rows) == 0 {
		lock, err := find(tx.Queries, claim.Name)
		return domain.Acquire(lock, claim, 0, now), err
	}
	lock := restore(claim.Name, sqlitedb.FindRow(rows[0]))
	return domain.Verdict{Granted: lock.Owner() == claim.Owner, Lock: lock, At: now}, nil
}

// Renew decides as [domain.Renew] does.
func (r *Repository) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	if err := r.enter(ctx); err != nil {
		return domain.Verdict{}, err
	}
	var verdict domain.Verdict
	err := r.write(ctx, func(tx transaction) (err error) {
		verdict, err = prolong(tx, grant, ttl, r.now())
		return err
	})
	if err != nil {
		return domain.Verdict{}, err
	}
	return verdict, nil
}

// RenewBatch decides each as [domain.Renew] does, all at one instant and in one transaction. Whoever writes to the file has
// it to himself, so that nobody is ever busy with a single row.
func (r *Repository) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	if err := r.enter(ctx); err != nil || len(renewals) == 0 {
		return nil, err
	}
	answers := make([]ports.Renewed, len(renewals))
	err := r.write(ctx, func(tx transaction) (err error) {
		now := r.now()
		for i, renewal := range renewals {
			if answers[i].Verdict, err = prolong(tx, renewal.Grant, renewal.TTL, now); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return answers, nil
}

// prolong renews at an instant that was read in the transaction.
func prolong(tx transaction, grant domain.Grant, ttl domain.TTL, now domain.Instant) (domain.Verdict, error) {
	rows, err := tx.Renew(context.Background(), sqlitedb.RenewParams{
		NewDeadline: now.After(ttl).Micros(),
		Name:        grant.Name.String(),
		Owner:       grant.Owner.String(),
		Token:       int64(grant.Token),
		Now:         now.Micros(),
	})
	if err != nil || len(rows) == 0 {
		return domain.Verdict{}, err
	}
	lock := domain.Restore(grant, domain.ClaimID(rows[0].Claim), domain.Instant(rows[0].AcquiredAt), domain.Instant(rows[0].Deadline))
	return domain.Verdict{Granted: true, Lock: lock, At: now}, nil
}
