// Quickstart takes a lock in a SQLite file, meets it as somebody else, renews it and gives it back.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "quickstart")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	repo, err := sqlite.Open(ctx, filepath.Join(folder, "locks.db"), ports.SystemClock{})
	if err != nil {
		return err
	}
	locker := namedlock.New(repo)
	defer locker.Close()

	// A real owner comes from namedlock.NewOwner().
	lock, _, err := locker.TryLock(ctx, "reports/nightly", "ann", 30*time.Second)
	if err != nil {
		return err
	}
	fmt.Printf("%s got %q, token %d\n", lock.Owner(), lock.Name(), lock.Token())

	_, incumbent, err := locker.TryLock(ctx, "reports/nightly", "ben", 30*time.Second)
	if err != nil {
		return err
	}
	fmt.Printf("ben is refused: %s holds it, token %d\n", incumbent.Owner, incumbent.Token)

	renewed, err := lock.Renew(ctx, time.Minute)
	if err != nil {
		return err
	}
	fmt.Printf("renewed: %t, and more than 30s are left: %t\n", renewed, lock.Remaining() > 30*time.Second)

	released, err := lock.Release(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("released: %t\n", released)
	return nil
}
