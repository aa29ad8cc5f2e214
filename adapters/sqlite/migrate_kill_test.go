package sqlite_test

import (
	"context"
	"database/sql"
	"os"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/alkstore/namedlock/adapters/sqlite"
)

// atRecording returns a handle whose connections call event when a migration is about to record its version: its tables
// are made, and nothing is committed.
func atRecording(path string, event func()) *sql.DB {
	return sql.OpenDB(hooked{"file:" + path + "?_journal_mode=WAL&_busy_timeout=5000", func(conn *sqlite3.SQLiteConn) {
		conn.RegisterUpdateHook(func(_ int, _, table string, _ int64) {
			if table == "namedlock_migrations" {
				event()
			}
		})
	}})
}

// beDyingMigrator dies in the middle of the migration, as by kill -9.
func beDyingMigrator(path string) error {
	return sqlite.Migrate(context.Background(), atRecording(path, func() {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			_ = self.Kill()
		}
		select {}
	}))
}

func TestAMigratorThatIsKilledLeavesNothing(t *testing.T) {
	path := newPath(t)
	c := startCrew(t, 1, "migrator", path)
	c.goOn()
	if c.failures() != 1 {
		t.Fatal("the migrator was not killed")
	}
	nothingOfOurs(t, path)
	if err := sqlite.Migrate(t.Context(), openDB(t, path, "")); err != nil {
		t.Errorf("the next migrator: %v", err)
	}
}

func TestAMigratorThatIsCancelledInTheMiddleDoesAllOrNothing(t *testing.T) {
	path := newPath(t)
	ctx, cancel := context.WithCancel(t.Context())
	db := atRecording(path, cancel)
	defer db.Close()
	if err := sqlite.Migrate(ctx, db); err != nil {
		nothingOfOurs(t, path)
	}
	if err := sqlite.Migrate(t.Context(), db); err != nil {
		t.Errorf("the next migrator: %v", err)
	}
	if _, err := sqlite.New(t.Context(), db, nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// nothingOfOurs fails when the file holds a table of the library's.
func nothingOfOurs(t *testing.T, path string) {
	t.Helper()
	if tables := newForeign(t, path).number("SELECT count(*) FROM sqlite_master WHERE name LIKE 'namedlock%'"); tables != 0 {
		t.Errorf("%d tables and indexes are left", tables)
	}
}
