package sqlite_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

// clock is a clock that only moves when it is told to.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 3, 0, 0, 123_456_000, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// newPath returns the path of a file that is not there yet.
func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "locks.db") }

// open returns a repository in the file, as Open makes it.
func open(t testing.TB, path string, clock ports.Clock) *sqlite.Repository {
	t.Helper()
	repo, err := sqlite.Open(t.Context(), path, clock)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = repo.Close() })
	return repo
}

// openDB returns a handle on the file such as a caller opens, with options of the driver.
func openDB(t testing.TB, path, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?"+options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// onHandle returns a repository on the caller's handle, as New makes it.
func onHandle(t testing.TB, db *sql.DB, clock ports.Clock) *sqlite.Repository {
	t.Helper()
	if err := sqlite.Migrate(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	repo, err := sqlite.New(t.Context(), db, clock)
	if err != nil {
		t.Fatal(err)
	}
	return repo
}

// ways are the ways to a repository in a file: some wait in Go, others on a handle that has the driver's own busy wait.
var ways = map[string]func(t testing.TB, path string, clock ports.Clock) *sqlite.Repository{
	"by Open": open,
	"by Open, with one connection": func(t testing.TB, path string, clock ports.Clock) *sqlite.Repository {
		repo := open(t, path, clock)
		sqlite.Pool(repo).SetMaxOpenConns(1)
		return repo
	},
	"by New, on a handle with a busy timeout of five seconds": func(t testing.TB, path string, clock ports.Clock) *sqlite.Repository {
		return onHandle(t, openDB(t, path, "_journal_mode=WAL&_busy_timeout=5000"), clock)
	},
	"by New, on a handle of one connection": func(t testing.TB, path string, clock ports.Clock) *sqlite.Repository {
		db := openDB(t, path, "_journal_mode=WAL&_busy_timeout=5000")
		db.SetMaxOpenConns(1)
		return onHandle(t, db, clock)
	},
}

// foreign is a connection that has nothing to do with the library.
type foreign struct {
	t    testing.TB
	conn *sql.Conn
}

func newForeign(t testing.TB, path string) foreign {
	t.Helper()
	conn, err := openDB(t, path, "_journal_mode=WAL&_busy_timeout=10000").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return foreign{t, conn}
}

// does runs a statement.
func (f foreign) does(statement string, args ...any) {
	f.t.Helper()
	if _, err := f.conn.ExecContext(context.Background(), statement, args...); err != nil {
		f.t.Fatalf("%s: %v", statement, err)
	}
}

// number returns the one number that a statement gives.
func (f foreign) number(statement string) (n int64) {
	f.t.Helper()
	if err := f.conn.QueryRowContext(context.Background(), statement).Scan(&n); err != nil {
		f.t.Fatalf("%s: %v", statement, err)
	}
	return n
}

// grant takes a lock that must be free.
func grant(t testing.TB, locker *namedlock.Locker, name, owner string, ttl time.Duration) *namedlock.Lock {
	t.Helper()
	lock, incumbent, err := locker.TryLock(context.Background(), name, owner, ttl)
	if err != nil || incumbent != nil {
		t.Fatalf("try %s for %s: incumbent %+v, error %v", name, owner, incumbent, err)
	}
	return lock
}

// answer is what a renewal or a release said.
type answer struct {
	ok  bool
	err error
}

func answerOf(ok bool, err error) answer { return answer{ok, err} }

// call runs work in the background and returns a channel with its result.
func call[T any](work func() T) <-chan T {
	result := make(chan T, 1)
	go func() { result <- work() }()
	return result
}
