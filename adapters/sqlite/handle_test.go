package sqlite_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
)

func TestM10CloseLeavesTheCallersHandleOpen(t *testing.T) {
	db := openDB(t, newPath(t), "_journal_mode=WAL")
	repo := onHandle(t, db, nil)
	if err := errors.Join(repo.Close(), repo.Close(), db.Ping()); err != nil {
		t.Error(err)
	}
}

// The caller works on the one connection while locks are held, and between any two calls.
func TestM9OneConnectionWillDoForManyLocks(t *testing.T) {
	db := openDB(t, newPath(t), "_journal_mode=WAL")
	db.SetMaxOpenConns(1)
	locker := namedlock.New(onHandle(t, db, nil))
	if _, err := db.Exec("CREATE TABLE mine (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	var held []*namedlock.Lock
	for i := range 20 {
		held = append(held, grant(t, locker, fmt.Sprint(i), "A", time.Hour))
		if _, err := db.Exec("INSERT INTO mine VALUES (1)"); err != nil {
			t.Fatal(err)
		}
		if inUse := db.Stats().InUse; inUse != 0 {
			t.Fatalf("%d connections are kept", inUse)
		}
	}
	for _, lock := range held {
		if got := answerOf(lock.Release(t.Context())); got != (answer{ok: true}) {
			t.Errorf("%s: %+v, want a release", lock.Name(), got)
		}
	}
}
