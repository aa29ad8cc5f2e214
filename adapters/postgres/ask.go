package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// question is one decision: the statements of it, on the connection or the transaction that it is given.
type question func(*postgresdb.Queries) error

// ask runs a question of one statement, bare, in one round trip. Where the session's default isolation turns contention
// into an error, nothing was decided and it is asked again in a transaction that says which isolation it needs.
func (r *Repository) ask(ctx context.Context, question question) error {
	return r.connected(ctx, func(conn *pgxpool.Conn) error {
		err := question(r.statements.on(conn))
		for isContention(err) {
			err = r.askCommitted(ctx, conn, question)
		}
		return err
	})
}

// askCommitted runs a question in a transaction of its own that sees what others have committed.
func (r *Repository) askCommitted(ctx context.Context, conn *pgxpool.Conn, question question) error {
	return pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		return question(r.statements.on(tx))
	})
}

// connected runs work on a connection of the pool and gives it back.
func (r *Repository) connected(ctx context.Context, work func(*pgxpool.Conn) error) error {
	if err := r.enter(ctx); err != nil {
		return err
	}
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return ports.NoEffect(err)
	}
	defer conn.Release()
	err = work(conn)
	if hadNoEffect(err) {
		return ports.NoEffect(explained(err))
	}
	return domain.DatabaseError(err)
}

// hadNoEffect reports whether it is certain that a call changed nothing: it was not sent, or the server itself undid it. A
// fatal error is not certain: the server may have ended the session just after the work was done.
func hadNoEffect(err error) bool {
	var fault *pgconn.PgError
	return pgconn.SafeToRetry(err) || errors.As(err, &fault) && fault.SeverityUnlocalized == "ERROR"
}

// isContention reports whether the server gave up because others were busy with the same rows: under an isolation level
// that fails rather than look again, or to end a deadlock. The statement had no effect.
func isContention(err error) bool {
	code := codeOf(err)
	return code == "40001" || code == "40P01"
}

// isMissing reports whether a schema, table or sequence is not there.
func isMissing(err error) bool {
	code := codeOf(err)
	return code == "42P01" || code == "3F000"
}

// explained adds, where tables are missing, what makes them.
func explained(err error) error {
	if isMissing(err) {
		return fmt.Errorf("%w (Migrate makes the tables)", err)
	}
	return err
}

// codeOf returns the SQLSTATE of the server's error, and nothing for any other.
func codeOf(err error) string {
	var fault *pgconn.PgError
	if errors.As(err, &fault) {
		return fault.Code
	}
	return ""
}
