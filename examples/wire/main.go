// Wire shows a consumer that has its locks assembled by google/wire and knows one store, Postgres: nothing of SQLite is in
// its build.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

func main() {
	if err := run(context.Background(), postgres.URL(os.Getenv("PGURL"))); err != nil {
		log.Fatal(err)
	}
}

// run assembles the reporter and lets it work once.
func run(ctx context.Context, url postgres.URL) error {
	if url == "" {
		return errors.New("PGURL is not set: give postgres://USER@HOST:PORT/DATABASE")
	}
	reporter, cleanUp, err := injectReporter(ctx, url, postgres.Config{})
	if err != nil {
		return err
	}
	defer cleanUp()
	return reporter.report(ctx)
}

// reporter does something that only one process may do at a time.
type reporter struct{ locker *namedlock.Locker }

func newReporter(locker *namedlock.Locker) reporter { return reporter{locker} }

// report writes the report, unless somebody else is at it.
func (r reporter) report(ctx context.Context) error {
	lock, incumbent, err := r.locker.TryLock(ctx, "examples/wire", namedlock.NewOwner(), 30*time.Second)
	switch {
	case err != nil:
		return err
	case incumbent != nil:
		fmt.Printf("%s is at it, for %v more at least\n", incumbent.Owner, incumbent.Remaining())
		return nil
	}
	fmt.Printf("got %q, and would write the report now\n", lock.Name())
	released, err := lock.Release(ctx)
	fmt.Printf("released: %t\n", released)
	return err
}
