package sqlite_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/alkstore/namedlock"
)

// counted opens connections that count their commits of changes.
type counted struct {
	name    string
	commits *atomic.Int64
}

func (c counted) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		conn.RegisterCommitHook(func() int { c.commits.Add(1); return 0 })
		return nil
	}}
}

func (c counted) Connect(context.Context) (driver.Conn, error) { return c.Driver().Open(c.name) }

func TestEachOperationIsOneWriteTransactionAtMost(t *testing.T) {
	var commits atomic.Int64
	db := sql.OpenDB(counted{"file:" + newPath(t) + "?_journal_mode=WAL", &commits})
	defer db.Close()
	locker := namedlock.New(onHandle(t, db, nil))
	ctx := t.Context()
	lock := grant(t, locker, "x", "A", time.Hour)
	for _, operation := range []struct {
		name string
		want int64
		run  func()
	}{
		{"a winning try", 1, func() { grant(t, locker, "y", "A", time.Hour) }},
		{"a losing try", 0, func() { _, _, _ = locker.TryLock(ctx, "x", "B", time.Hour) }},
		{"a try of the holder", 0, func() { grant(t, locker, "x", "A", time.Hour) }},
		{"a renewal", 1, func() { _, _ = lock.Renew(ctx, time.Hour) }},
		{"a look-up", 0, func() { _, _, _ = locker.Find(ctx, "x") }},
		{"a release", 1, func() { _, _ = lock.Release(ctx) }},
	} {
		commits.Store(0)
		operation.run()
		if got := commits.Load(); got != operation.want {
			t.Errorf("%s: %d commits, want %d", operation.name, got, operation.want)
		}
	}
}

// Each call that was given up must leave its name free for somebody else, long before its ttl (M8).
func TestM8AcquiresCancelledAtARandomMomentLeaveNothingBehind(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			path := newPath(t)
			locker, rival := namedlock.New(way(t, path, nil)), namedlock.New(open(t, path, nil))
			var failed []string
			for i := range 1000 {
				name := fmt.Sprintf("cancelled-%d", i)
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(3*time.Millisecond))
				lock, incumbent, err := locker.TryLock(ctx, name, "A", time.Minute)
				cancel()
				if err != nil {
					failed = append(failed, name)
				} else if lock == nil || incumbent != nil {
					t.Fatalf("%s: %v, %v, %v", name, lock, incumbent, err)
				}
			}
			t.Logf("%d of 1000 calls were cut off", len(failed))
			bound := time.Now().Add(time.Second)
			for _, name := range failed {
				grantBy(t, rival, name, "B", bound)
			}
		})
	}
}

// grantBy asks for a lock again and again until it is granted, by the bound at the latest.
func grantBy(t *testing.T, locker *namedlock.Locker, name, owner string, bound time.Time) {
	t.Helper()
	for {
		lock, incumbent, err := locker.TryLock(t.Context(), name, owner, time.Minute)
		if lock != nil {
			return
		}
		if err != nil || time.Now().After(bound) {
			t.Fatalf("%s is still not to be had: %+v, %v", name, incumbent, errors.Join(err))
		}
	}
}
