package specs

import (
	"context"
	"database/sql"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

var _ = Contract("A lock in a SQLite file", InjectedClock, func(ctx SpecContext) Store {
	clock := NewClock()
	return Store{Repository: openSQLite(ctx, newFile(), clock), Clock: clock}
}, Label("sqlite"))

var _ = Contract("A lock in a SQLite file that is opened twice", InjectedClock, func(ctx SpecContext) Store {
	clock, path := NewClock(), newFile()
	return Store{
		Repository: openSQLite(ctx, path, clock),
		Rival:      openSQLite(ctx, path, clock),
		Clock:      clock,
	}
}, Label("sqlite"))

var _ = Contract("A lock in a SQLite file that another process has open", InjectedClock, func(ctx SpecContext) Store {
	clock, path := NewClock(), newFile()
	return Store{
		Repository: openSQLite(ctx, path, clock),
		Rival:      inAnotherProcess(path, clock),
		Clock:      clock,
	}
}, Label("sqlite"))

var _ = Contract("A lock in the caller's own SQLite database", InjectedClock, func(ctx SpecContext) Store {
	clock, path := NewClock(), newFile()
	db := valid(sql.Open("sqlite3", path+"?_journal_mode=WAL"))
	DeferCleanup(db.Close)
	Expect(sqlite.Migrate(ctx, db)).To(Succeed())
	return Store{
		Repository:       valid(sqlite.New(ctx, db, clock)),
		Rival:            openSQLite(ctx, path, clock),
		Clock:            clock,
		Transaction:      func(ctx context.Context, work func()) { inSQLiteTransaction(ctx, db, work) },
		ConnectionsInUse: func() int { return db.Stats().InUse },
		Ping:             db.PingContext,
	}
}, Label("sqlite"))

// openSQLite opens the file until the end of the spec.
func openSQLite(ctx context.Context, path string, clock ports.Clock) *sqlite.Repository {
	GinkgoHelper()
	repo := valid(sqlite.Open(ctx, path, clock))
	DeferCleanup(repo.Close)
	return repo
}

// newFile returns the path of a file that is not there yet.
func newFile() string { return filepath.Join(GinkgoT().TempDir(), "locks.db") }

// inSQLiteTransaction runs work in a transaction that has read, and rolls it back.
func inSQLiteTransaction(ctx context.Context, db *sql.DB, work func()) {
	GinkgoHelper()
	tx := valid(db.BeginTx(ctx, nil))
	var rows int
	Expect(tx.QueryRowContext(ctx, "SELECT count(*) FROM namedlock_locks").Scan(&rows)).To(Succeed())
	work()
	Expect(tx.Rollback()).To(Succeed())
}
