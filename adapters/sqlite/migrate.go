package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
	files "github.com/alkstore/namedlock/sql"
)

// Migrate brings the tables of namedlock in db up to this release: namedlock_locks, and namedlock_migrations, which
// records the versions. It is safe to call at every start and from many processes at once: all succeed, and each version
// is applied once. On tables that are up to date it only reads. It takes one transaction, so that one which is cancelled or
// killed leaves nothing half done. Tables that a newer release has made are refused.
func Migrate(ctx context.Context, db *sql.DB) error {
	if db == nil {
		return notMigrated(errors.New("the *sql.DB is nil"))
	}
	steps, err := files.Migrations("sqlite")
	if err != nil {
		return notMigrated(err)
	}
	h := newHandle(db, true)
	applied, err := read(ctx, h, func(q *sqlitedb.Queries) ([]int64, error) { return q.ListVersions(ctx) })
	if err == nil {
		if missing, err := files.Pending(steps, applied); err != nil || len(missing) == 0 {
			return notMigrated(err)
		}
	}
	return notMigrated(h.write(ctx, func(tx transaction) error { return apply(ctx, tx, steps) }))
}

// notMigrated tells that the schema could not be brought up to date. A nil error stays nil.
func notMigrated(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlite: migrate: %w", domain.DatabaseError(err))
}

// apply takes the steps that are missing, as nobody else can meanwhile.
func apply(ctx context.Context, tx transaction, steps []files.Migration) error {
	if err := tx.CreateVersions(ctx); err != nil {
		return err
	}
	applied, err := tx.ListVersions(ctx)
	if err != nil {
		return err
	}
	missing, err := files.Pending(steps, applied)
	if err != nil {
		return err
	}
	for _, step := range missing {
		if err := execute(tx.conn, step.Up); err != nil {
			return fmt.Errorf("version %d: %w", step.Version, err)
		}
		if err := tx.RecordVersion(ctx, step.Version); err != nil {
			return err
		}
	}
	return nil
}
