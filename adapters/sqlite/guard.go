package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
)

// Guard makes a transaction of the caller, on the file of the locks, depend on a grant: it succeeds only if the grant is
// live, and so the newest of its name, and from then on until the transaction ends nobody else is granted the name. What
// the transaction writes can therefore not be overtaken by a later holder, even if this one lapses meanwhile, is released
// or broken. It is [domain.ErrOvertaken] when the grant is over: roll back, as after any other error.
//
// The lock was acquired before and stays what it is when the transaction is rolled back (L12). The transaction is the writer
// of the file from then on, if it was not before: renewals wait for its end like everybody, so keep it short. A
// transaction that has read already, while somebody else wrote, cannot become the writer: SQLite calls it busy; begin
// again.
func (r *Repository) Guard(ctx context.Context, tx *sql.Tx, grant domain.Grant) error {
	if tx == nil {
		return refused(errors.New("the transaction is nil"))
	}
	if err := r.enter(ctx); err != nil {
		return err
	}
	queries := sqlitedb.New(tx)
	if err := becomeWriter(ctx, queries, grant); err != nil {
		return domain.DatabaseError(err)
	}
	standing, err := find(queries, grant.Name)
	switch {
	case err != nil:
		return domain.DatabaseError(err)
	case !domain.Guards(standing, grant, r.now()):
		return domain.ErrOvertaken
	}
	return nil
}

// becomeWriter waits until nobody else writes, unless the transaction has read what is older.
func becomeWriter(ctx context.Context, queries *sqlitedb.Queries, grant domain.Grant) error {
	var stale error
	err := patiently(ctx, func() error {
		err := queries.BecomeWriter(ctx, sqlitedb.BecomeWriterParams{
			Name:  grant.Name.String(),
			Owner: grant.Owner.String(),
			Token: int64(grant.Token),
		})
		if isStale(err) {
			stale = err
			return nil
		}
		return err
	})
	if err == nil {
		err = stale
	}
	return err
}
