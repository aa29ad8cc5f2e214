package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

// A transfer is committed only if the lock is held until then, even where its holder stalls.
func ExampleRepository_Guard() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "guard")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(folder, "app.db")+"?_journal_mode=WAL")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := sqlite.Migrate(ctx, db); err != nil {
		log.Fatal(err)
	}
	repo, err := sqlite.New(ctx, db, nil)
	if err != nil {
		log.Fatal(err)
	}
	locker := namedlock.New(repo)
	defer locker.Close()

	lock, _, err := locker.TryLock(ctx, "accounts", "worker 1", time.Minute)
	if err != nil {
		log.Fatal(err)
	}
	transfer := func() error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		if err := repo.Guard(ctx, tx, lock.Grant()); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "CREATE TABLE transfers (amount INTEGER)"); err != nil {
			return err
		}
		return tx.Commit()
	}
	fmt.Println("transfer:", transfer())
	_, _ = lock.Release(ctx)
	fmt.Println("transfer without the lock:", transfer())
	// Output:
	// transfer: <nil>
	// transfer without the lock: the grant is over
}
