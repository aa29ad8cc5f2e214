package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
	files "github.com/alkstore/namedlock/sql"
)

// Migrate brings the schema of that name, "namedlock" when it is empty, up to this release: it makes the schema if it is
// not there, the tables, and the table migrations in it, which records the versions. It is safe to call at every start and
// from many processes at once: all succeed, and each version is applied once. On a schema that is up to date it only reads,
// so that a role without the right to make tables can call it too. It takes one transaction, in which it waits for other
// migrators, so that one which is cancelled or killed leaves nothing, not even a lock. A schema that a newer release has
// made, and a database that is not in UTF-8, are refused.
func Migrate(ctx context.Context, pool *pgxpool.Pool, schema string) error {
	if pool == nil {
		return notMigrated(errors.New("the pool is nil"))
	}
	named, err := newSchema(schema)
	if err != nil {
		return notMigrated(err)
	}
	steps, err := files.Migrations("postgres")
	if err != nil {
		return notMigrated(err)
	}
	m := migration{statements: &statements{schema: named}, steps: steps}
	missing, err := m.pending(ctx, pool)
	if err == nil && len(missing) == 0 || err != nil && !isMissing(err) {
		return notMigrated(err)
	}
	return notMigrated(pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		return m.apply(ctx, tx)
	}))
}

// notMigrated tells that the schema could not be brought up to date. A nil error stays nil.
func notMigrated(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("postgres: migrate: %w", domain.DatabaseError(err))
}

// migration takes the steps of one schema.
type migration struct {
	statements *statements
	steps      []files.Migration
}

// pending returns the steps that are missing. It fails where there is no table of versions yet.
func (m migration) pending(ctx context.Context, db postgresdb.DBTX) ([]files.Migration, error) {
	applied, err := m.statements.on(db).ListVersions(ctx)
	if err != nil {
		return nil, err
	}
	return files.Pending(m.steps, applied)
}

// apply takes the steps that are missing, as nobody else can meanwhile.
func (m migration) apply(ctx context.Context, tx pgx.Tx) error {
	if err := m.prepare(ctx, tx); err != nil {
		return err
	}
	missing, err := m.pending(ctx, tx)
	if err != nil {
		return err
	}
	for _, step := range missing {
		// A step is several statements, which only the simple protocol takes at once.
		if _, err := tx.Exec(ctx, m.statements.text(step.Up), pgx.QueryExecModeSimpleProtocol); err != nil {
			return fmt.Errorf("version %d: %w", step.Version, err)
		}
		if err := m.statements.on(tx).RecordVersion(ctx, step.Version); err != nil {
			return err
		}
	}
	return nil
}

// prepare waits for other migrators, and makes the schema and its table of versions if they are not there.
func (m migration) prepare(ctx context.Context, tx pgx.Tx) error {
	if encoding := tx.Conn().PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("the database is encoded in %s: names need UTF8", encoding)
	}
	queries := m.statements.on(tx)
	if err := queries.EnterMigration(ctx); err != nil {
		return err
	}
	exists, err := queries.SchemaExists(ctx, m.statements.schema.name)
	if err != nil {
		return err
	}
	if !exists {
		// Not IF NOT EXISTS, which asks for the right to make schemas even where there is one.
		if _, err := tx.Exec(ctx, "CREATE SCHEMA "+m.statements.schema.quoted()); err != nil {
			return err
		}
	}
	return queries.CreateVersions(ctx)
}
