package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
)

// Acquire decides as [domain.Acquire] does, in one statement. Only when a rival was granted the name after the statement
// had begun to look does it ask again, and then finds the incumbent.
func (r *Repository) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	for {
		rows, err := r.claim(ctx, claim)
		if err != nil {
			return domain.Verdict{}, err
		}
		if len(rows) > 0 {
			return verdictOf(claim, rows[0]), nil
		}
	}
}

// claim runs the statement once.
func (r *Repository) claim(ctx context.Context, claim domain.Claim) (rows []postgresdb.AcquireRow, err error) {
	err = r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		rows, err = q.Acquire(ctx, postgresdb.AcquireParams{
			Now:   r.now(),
			Name:  claim.Name.String(),
			Owner: claim.Owner.String(),
			Claim: int64(claim.ID),
			Ttl:   interval(claim.TTL.Micros()),
		})
		return err
	})
	return rows, err
}

// verdictOf reads the row that stands: whose it is decides, not whether the statement wrote it (L14).
func verdictOf(claim domain.Claim, row postgresdb.AcquireRow) domain.Verdict {
	lock := restore(claim.Name, postgresdb.FindRow(row))
	return domain.Verdict{Granted: lock.Owner() == claim.Owner, Lock: lock, At: instant(row.Instant)}
}

// Renew decides as [domain.Renew] does, in one statement.
func (r *Repository) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	var rows []postgresdb.RenewRow
	err := r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		rows, err = q.Renew(ctx, postgresdb.RenewParams{
			Now:   r.now(),
			Name:  grant.Name.String(),
			Owner: grant.Owner.String(),
			Token: int64(grant.Token),
			Ttl:   interval(ttl.Micros()),
		})
		return err
	})
	if err != nil || len(rows) == 0 {
		return domain.Verdict{}, err
	}
	lock := domain.Restore(grant, domain.ClaimID(rows[0].Claim), instant(rows[0].AcquiredAt), instant(rows[0].Deadline))
	return domain.Verdict{Granted: true, Lock: lock, At: instant(rows[0].Instant)}, nil
}

// Release decides as [domain.Releases] does, in one statement.
func (r *Repository) Release(ctx context.Context, grant domain.Grant) (bool, error) {
	return r.remove(ctx, func(q *postgresdb.Queries) (int64, error) {
		return q.Release(ctx, postgresdb.ReleaseParams{
			Name:  grant.Name.String(),
			Owner: grant.Owner.String(),
			Token: int64(grant.Token),
		})
	})
}

// Break decides as [domain.Breaks] does, in one statement.
func (r *Repository) Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error) {
	return r.remove(ctx, func(q *postgresdb.Queries) (int64, error) {
		return q.BreakGrant(ctx, postgresdb.BreakGrantParams{Name: name.String(), Token: int64(seen)})
	})
}

// Withdraw decides as [domain.Withdraws] does, in one transaction. It enters the gate of the name first, and so comes
// after an acquire that the server is still busy with; only what begins after that can see what the acquire left.
func (r *Repository) Withdraw(ctx context.Context, claim domain.Claim) (bool, error) {
	var removed int64
	err := r.connected(ctx, func(conn *pgxpool.Conn) error {
		return r.askCommitted(ctx, conn, func(q *postgresdb.Queries) (err error) {
			if err := q.EnterGate(ctx, claim.Name.String()); err != nil {
				return err
			}
			removed, err = q.Withdraw(ctx, postgresdb.WithdrawParams{
				Name:  claim.Name.String(),
				Owner: claim.Owner.String(),
				Claim: int64(claim.ID),
			})
			return err
		})
	})
	return err == nil && removed > 0, err
}

// remove asks for the removal of one row and reports whether it went.
func (r *Repository) remove(ctx context.Context, removal func(*postgresdb.Queries) (int64, error)) (bool, error) {
	var removed int64
	err := r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		removed, err = removal(q)
		return err
	})
	return err == nil && removed > 0, err
}
