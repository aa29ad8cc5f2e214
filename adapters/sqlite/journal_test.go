package sqlite_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// journals are options of handles on a file that keeps a rollback journal, where a writer and a reader exclude each other.
// The waits are in Go, in SQLite, and at the start of each connection, which names its journal.
var journals = map[string]string{
	"no busy timeout":                 "_busy_timeout=0",
	"no busy timeout, at the start":   "_busy_timeout=0&_journal_mode=DELETE",
	"a busy timeout":                  "_busy_timeout=5000",
	"a busy timeout, at the start":    "_busy_timeout=5000&_journal_mode=DELETE",
	"a cache shared by a process":     "_busy_timeout=0&cache=shared",
	"a transaction that begins early": "_busy_timeout=0&_txlock=immediate",
}

// newJournal returns the path of a file with the tables, which keeps a rollback journal.
func newJournal(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	if err := sqlite.Migrate(t.Context(), openDB(t, path, "_journal_mode=DELETE")); err != nil {
		t.Fatal(err)
	}
	return path
}

// newReader returns a foreign connection that leaves the journal as it is.
func newReader(t *testing.T, path string) foreign {
	t.Helper()
	conn, err := openDB(t, path, "_busy_timeout=10000").Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return foreign{t, conn}
}

// Whoever has the whole file keeps out readers and new connections as well.
func TestWaitingForTheWholeFileEndsWithTheContext(t *testing.T) {
	for how, options := range journals {
		t.Run(how, func(t *testing.T) {
			path, clock := newJournal(t), newClock()
			db := openDB(t, path, options)
			repo := onHandle(t, db, clock)
			acquired(t, repo, claimOf(t, "lapsed", "A", time.Minute))
			clock.advance(time.Minute)
			held := claimOf(t, "held", "A", time.Minute)
			operations := writes(t, repo, held, acquired(t, repo, held))
			operations["find"] = func(ctx context.Context) error { _, err := repo.Find(ctx, held.Name); return err }
			operations["list"] = func(ctx context.Context) error {
				_, err := repo.List(ctx, domain.Prefix{}, ports.Page{Limit: 10})
				return err
			}
			operations["new"] = func(ctx context.Context) error { _, err := sqlite.New(ctx, db, nil); return err }
			operations["migrate"] = func(ctx context.Context) error { return sqlite.Migrate(ctx, db) }
			writer := newReader(t, path)
			before := writer.rows()
			writer.does("BEGIN EXCLUSIVE")
			for what, operation := range operations {
				givesUp(t, what, operation)
			}
			allGiveUp(t, operations)
			writer.does("COMMIT")

			nothingUnderWay(t, repo)
			if after := writer.rows(); after != before {
				t.Errorf("the table was\n%sand became\n%s", before, after)
			}
		})
	}
}

// Everything waits until the file is free again, and then succeeds.
func TestWaitingForTheWholeFileIsNoError(t *testing.T) {
	for how, options := range journals {
		t.Run(how, func(t *testing.T) {
			path := newJournal(t)
			repo := onHandle(t, openDB(t, path, options), newClock())
			claim := claimOf(t, "held", "A", time.Minute)
			grant := acquired(t, repo, claim)
			writer := newReader(t, path)
			writer.does("BEGIN EXCLUSIVE")
			var all sync.WaitGroup
			succeeds := func(what string, operation func(context.Context) error) {
				all.Go(func() {
					if err := operation(context.Background()); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				})
			}
			for what, operation := range writes(t, repo, claim, grant) {
				succeeds(what, operation)
			}
			succeeds("find", func(ctx context.Context) error { _, err := repo.Find(ctx, claim.Name); return err })
			succeeds("new", func(ctx context.Context) error {
				_, err := sqlite.New(ctx, openDB(t, path, options), nil)
				return err
			})
			succeeds("migrate", func(ctx context.Context) error { return sqlite.Migrate(ctx, openDB(t, path, options)) })
			<-time.After(50 * time.Millisecond) // some are waiting by now
			writer.does("COMMIT")
			all.Wait()
		})
	}
}

// A reader holds up the commit. What is given up there is undone, and the next one is not in its way.
func TestACommitThatReadersHoldUpIsGivenUpWhole(t *testing.T) {
	path := newJournal(t)
	repo := onHandle(t, openDB(t, path, "_busy_timeout=0"), newClock())
	reader := newReader(t, path)
	reader.does("BEGIN")
	reader.number("SELECT count(*) FROM namedlock_locks")

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := repo.Acquire(ctx, claimOf(t, "x", "A", time.Hour))
	if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("%v, want the end of the context as an error of the store", err)
	}
	nothingUnderWay(t, repo)
	reader.does("COMMIT")
	if rows := reader.rows(); rows != "" {
		t.Errorf("there is %s", rows)
	}
	acquired(t, repo, claimOf(t, "x", "B", time.Hour))
}

// Open turns a file to the write-ahead log as soon as nobody has the whole of it.
func TestOpenWaitsForTheWholeFile(t *testing.T) {
	path := newJournal(t)
	reader := newReader(t, path)
	reader.does("BEGIN EXCLUSIVE")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := sqlite.Open(ctx, path, nil); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("%v, want the end of the context as an error of the store", err)
	}
	opened := call(func() error {
		repo, err := sqlite.Open(context.Background(), path, nil)
		if err == nil {
			err = repo.Close()
		}
		return err
	})
	reader.does("COMMIT")
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
