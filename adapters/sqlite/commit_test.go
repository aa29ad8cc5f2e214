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
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// hooked opens connections on which a hook is set.
type hooked struct {
	name string
	hook func(*sqlite3.SQLiteConn)
}

func (h hooked) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		h.hook(conn)
		return nil
	}}
}

func (h hooked) Connect(context.Context) (driver.Conn, error) { return h.Driver().Open(h.name) }

func TestEachOperationIsOneWriteTransactionAtMost(t *testing.T) {
	var commits atomic.Int64
	db := sql.OpenDB(hooked{"file:" + newPath(t) + "?_journal_mode=WAL", func(conn *sqlite3.SQLiteConn) {
		conn.RegisterCommitHook(func() int { commits.Add(1); return 0 })
	}})
	defer db.Close()
	repo := onHandle(t, db, nil)
	locker := namedlock.New(repo)
	ctx := t.Context()
	lock := grant(t, locker, "x", "A", time.Hour)
	stale := grant(t, locker, "stale", "A", time.Microsecond)
	batch := []ports.Renewal{renewal(lock), renewal(grant(t, locker, "z", "A", time.Hour)), renewal(stale)}
	for _, operation := range []struct {
		name string
		most int64
		run  func()
	}{
		{"a winning try", 1, func() { grant(t, locker, "y", "A", time.Hour) }},
		{"a losing try", 0, func() { _, _, _ = locker.TryLock(ctx, "x", "B", time.Hour) }},
		{"a try of the holder", 0, func() { grant(t, locker, "x", "A", time.Hour) }},
		{"a renewal", 1, func() { _, _ = lock.Renew(ctx, time.Hour) }},
		{"a batch of renewals", 1, func() { _, _ = repo.RenewBatch(ctx, batch) }},
		{"a look-up", 0, func() { _, _, _ = locker.Find(ctx, "x") }},
		{"a list", 0, func() { list(t, locker) }},
		{"a purge", 1, func() { _, _ = locker.Purge(ctx, 0) }},
		{"a purge of nothing", 0, func() { _, _ = locker.Purge(ctx, 0) }},
		{"a refused renewal", 1, func() { _, _ = stale.Renew(ctx, time.Hour) }},
		{"a refused release", 1, func() { _, _ = stale.Release(ctx) }},
		{"a refused break", 1, func() { _, _ = locker.Break(ctx, "x", lock.Token()+100) }},
		{"a release", 1, func() { _, _ = lock.Release(ctx) }},
	} {
		commits.Store(0)
		operation.run()
		if got := commits.Load(); got > operation.most {
			t.Errorf("%s: %d commits, want %d at most", operation.name, got, operation.most)
		}
	}
}

// renewal returns the wish to renew a lock for an hour.
func renewal(lock *namedlock.Lock) ports.Renewal {
	ttl, _ := domain.NewTTL(time.Hour)
	return ports.Renewal{
		Grant: domain.Grant{Name: domain.RestoreName(lock.Name()), Owner: domain.RestoreOwner(lock.Owner()), Token: lock.Token()},
		TTL:   ttl,
	}
}

// list walks over all locks.
func list(t testing.TB, locker *namedlock.Locker) {
	t.Helper()
	for _, err := range locker.List(t.Context(), "") {
		if err != nil {
			t.Error(err)
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
