package sqlite_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

func TestMigrateOnlyReadsWhatIsUpToDate(t *testing.T) {
	path := newPath(t)
	open(t, path, nil)
	newForeign(t, path).does("BEGIN IMMEDIATE")
	for how, options := range map[string]string{"beside a writer": "_busy_timeout=50", "read-only": "mode=ro"} {
		if err := sqlite.Migrate(t.Context(), openDB(t, path, options)); err != nil {
			t.Errorf("%s: %v", how, err)
		}
	}
}

func TestMigrateRefusesTheTablesOfANewerRelease(t *testing.T) {
	path := newPath(t)
	open(t, path, nil)
	newForeign(t, path).does("INSERT INTO namedlock_migrations (version) VALUES (9999)")
	err := sqlite.Migrate(t.Context(), openDB(t, path, ""))
	if !errors.Is(err, namedlock.ErrDatabase) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("%v, want a refusal that names the version", err)
	}
}

func TestAMigratorThatIsCancelledLeavesNothing(t *testing.T) {
	path := newPath(t)
	db := openDB(t, path, "_journal_mode=WAL&_busy_timeout=50")
	writer := newForeign(t, path)
	writer.does("CREATE TABLE goose_db_version (version_id INTEGER)")
	writer.does("BEGIN IMMEDIATE")
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := call(func() error { return sqlite.Migrate(ctx, db) })
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("%v, want the cancellation as an error of the store", err)
	}
	writer.does("COMMIT")
	if tables := writer.number("SELECT count(*) FROM sqlite_master WHERE name LIKE 'namedlock%'"); tables != 0 {
		t.Errorf("%d tables are left", tables)
	}
	if err := sqlite.Migrate(t.Context(), db); err != nil {
		t.Errorf("the next migrator: %v", err)
	}
	if versions := writer.number("SELECT count(*) FROM goose_db_version"); versions != 0 {
		t.Error("the caller's own versions were written to")
	}
}
