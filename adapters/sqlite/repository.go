package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Repository is a [ports.Repository] in a SQLite file. Make one with [Open] or [New]. It is safe for concurrent use.
type Repository struct {
	handle
	lookout lookout
	clock   ports.Clock
	closed  atomic.Bool
	// opened is the database that Open opened and Close closes; nil when it is the caller's.
	opened *sql.DB
}

var (
	_ ports.Repository   = (*Repository)(nil)
	_ ports.Waker        = (*Repository)(nil)
	_ ports.BatchRenewer = (*Repository)(nil)
)

// New returns a Repository on the caller's db, which [Migrate] was run on, judging by clock; a nil clock is the clock of
// this machine. It looks once whether the database can be written. It refuses a database in memory: each connection of
// the pool would have one of its own.
//
// A call waits for the writer as long as its context lives. Where the db was opened with a busy timeout, which the driver
// does by default, SQLite's own wait cannot be interrupted: the call still returns when its context ends, and its
// connection follows when that timeout is over. Only a commit is not left behind: on a database that keeps a rollback
// journal it waits for readers too, for that timeout at most.
func New(ctx context.Context, db *sql.DB, clock ports.Clock) (*Repository, error) {
	if db == nil {
		return nil, refused(errors.New("the *sql.DB is nil"))
	}
	h := newHandle(db, true)
	file, err := fileOf(ctx, h)
	if err != nil {
		return nil, refused(err)
	}
	return ready(ctx, &Repository{handle: h, lookout: lookout{file: file}, clock: clock})
}

// ready gives the repository a clock if it has none, and tries whether its tables can be written.
func ready(ctx context.Context, r *Repository) (*Repository, error) {
	if r.clock == nil {
		r.clock = ports.SystemClock{}
	}
	err := r.write(ctx, func(tx transaction) error {
		_, err := tx.Release(ctx, sqlitedb.ReleaseParams{})
		return err
	})
	if err != nil {
		return nil, refused(fmt.Errorf("the tables, which Migrate makes, cannot be written: %w", err))
	}
	return r, nil
}

// refused tells that a repository cannot be made.
func refused(err error) error {
	return fmt.Errorf("sqlite: %w", domain.DatabaseError(err))
}

// fileOf returns the path of the main database of h, and an error when it is in memory or temporary.
func fileOf(ctx context.Context, h handle) (string, error) {
	file, err := inspect(ctx, h, func(conn *sql.Conn) (file string, err error) {
		const main = "SELECT file FROM pragma_database_list WHERE name = 'main'"
		err = conn.QueryRowContext(context.Background(), main).Scan(&file)
		return file, err
	})
	if err == nil && file == "" {
		err = errors.New("a database in memory is another one for each connection of the pool: use a file, or the memory adapter")
	}
	return file, err
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

// now reads the clock.
func (r *Repository) now() domain.Instant { return domain.InstantOf(r.clock.Now()) }

// Close ends the repository, and closes the file if [Open] opened it. The locks stay. Later operations return
// domain.ErrClosed (L11). Closing twice is fine.
func (r *Repository) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.lookout.close()
	if r.opened == nil {
		return nil
	}
	return r.opened.Close()
}
