package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
)

// Guard makes a transaction of the caller, on the database of the locks, depend on a grant: it succeeds only if the grant is
// live, and so the newest of its name, and from then on until the transaction ends nobody else is granted the name. What
// the transaction writes can therefore not be overtaken by a later holder, even if this one lapses meanwhile, is released
// or broken. It is [domain.ErrOvertaken] when the grant is over: roll back, as after any other error.
//
// The lock was acquired before and stays what it is when the transaction is rolled back (L12). Renewals pass while the
// transaction is open; who acquires waits for its end, so keep it short. Under repeatable read and serializable a row that
// changed since the transaction's first look, as by a renewal, is a serialization failure: begin again.
func (r *Repository) Guard(ctx context.Context, tx pgx.Tx, grant domain.Grant) error {
	if tx == nil {
		return refused(errors.New("the transaction is nil"))
	}
	if err := r.enter(ctx); err != nil {
		return err
	}
	if err := r.statements.on(tx).EnterGateShared(ctx, grant.Name.String()); err != nil {
		return domain.DatabaseError(err)
	}
	live, err := r.isLive(ctx, tx, grant)
	switch {
	case err != nil:
		return domain.DatabaseError(explained(err))
	case !live:
		return domain.ErrOvertaken
	}
	return nil
}

// isLive reports whether the grant's row stands and is live now, and leaves no lock on the row.
func (r *Repository) isLive(ctx context.Context, tx pgx.Tx, grant domain.Grant) (bool, error) {
	look, err := tx.Begin(ctx)
	if err != nil {
		return false, err
	}
	rows, err := r.statements.on(look).Guard(ctx, postgresdb.GuardParams{
		Now:   r.now(),
		Name:  grant.Name.String(),
		Owner: grant.Owner.String(),
		Token: int64(grant.Token),
	})
	if undone := look.Rollback(ctx); err == nil {
		err = undone
	}
	return len(rows) > 0, err
}
