package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Config says what is rarely needed. The zero Config is the usual one.
type Config struct {
	// Schema is where the tables live; empty is "namedlock". It is an identifier: quoted, never executed. A name with
	// quotes, dots, a backslash or a NUL, or longer than 63 bytes, is refused.
	Schema string
	// Clock replaces the server's clock, for specs and simulations. With one, hosts have to agree about the time. Nil is the
	// server's.
	Clock ports.Clock
	// Logger is told when releases cannot be heard, so that whoever waits must poll. Nil is slog.Default().
	Logger *slog.Logger
}

// Repository is a [ports.Repository] in a Postgres database. Make one with [Open] or [New]. It is safe for concurrent use.
type Repository struct {
	pool       *pgxpool.Pool
	clock      ports.Clock
	statements *statements
	listener   *listener
	closed     atomic.Bool
	// opened is whether the pool is this repository's own, which Close closes.
	opened bool
}

var (
	_ ports.Repository   = (*Repository)(nil)
	_ ports.Waker        = (*Repository)(nil)
	_ ports.BatchRenewer = (*Repository)(nil)
)

// New returns a Repository on the pool of the caller, on whose database [Migrate] was run. It sends nothing. A nil pool
// and a schema name that cannot be one are errors.
func New(pool *pgxpool.Pool, config Config) (*Repository, error) {
	if pool == nil {
		return nil, refused(errors.New("the pool is nil"))
	}
	schema, err := newSchema(config.Schema)
	if err != nil {
		return nil, refused(err)
	}
	statements := &statements{schema: schema}
	return &Repository{
		pool:       pool,
		clock:      config.Clock,
		statements: statements,
		listener:   newListener(pool, statements, config.Logger),
	}, nil
}

// Open opens a pool at url, a connection string of pgx, brings the schema up to date as [Migrate] does, and returns a
// Repository whose Close closes the pool.
func Open(ctx context.Context, url string, config Config) (*Repository, error) {
	settings, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, refused(errUnparsed)
	}
	pool, err := pgxpool.NewWithConfig(ctx, settings)
	if err != nil {
		return nil, refused(err)
	}
	r, err := New(pool, config)
	if err == nil {
		err = Migrate(ctx, pool, config.Schema)
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	r.opened = true
	return r, nil
}

// refused tells that a repository cannot be made.
func refused(err error) error {
	return fmt.Errorf("postgres: %w", domain.DatabaseError(err))
}

// enter says why no decision can be made now.
func (r *Repository) enter(ctx context.Context) error {
	if r.closed.Load() {
		return domain.ErrClosed
	}
	if cause := ctx.Err(); cause != nil {
		return ports.NoEffect(cause)
	}
	return nil
}

// Close ends the repository, and closes the pool if [Open] opened it: then it waits for calls that are under way. The
// locks stay. Later operations return domain.ErrClosed (L11). Closing twice is fine.
func (r *Repository) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.listener.close()
	if r.opened {
		r.pool.Close()
	}
	return nil
}
