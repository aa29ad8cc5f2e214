package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

// contend lets owners fight for one name and hold names of their own, and fails on any error and on two holders at once.
func contend(t testing.TB, locker *namedlock.Locker, owners, rounds int) {
	t.Helper()
	var holder sync.Mutex
	var all sync.WaitGroup
	for i := range owners {
		all.Go(func() {
			for range rounds {
				holdOnce(t, locker, "shared", fmt.Sprintf("%d-%d", os.Getpid(), i), holder.TryLock, holder.Unlock)
				holdOnce(t, locker, fmt.Sprintf("own-%d-%d", os.Getpid(), i), "A", func() bool { return true }, func() {})
			}
		})
	}
	all.Wait()
}

// holdOnce tries, renews and releases, and enters and leaves what nobody else may be in meanwhile.
func holdOnce(t testing.TB, locker *namedlock.Locker, name, owner string, enter func() bool, leave func()) {
	ctx := context.Background()
	lock, _, err := locker.TryLock(ctx, name, owner, time.Hour)
	if err != nil {
		t.Errorf("try %s: %v", name, err)
	}
	if lock == nil {
		return
	}
	if !enter() {
		t.Errorf("%s has two holders", name)
	}
	renewed := answerOf(lock.Renew(ctx, time.Hour))
	leave()
	if released := answerOf(lock.Release(ctx)); renewed != (answer{ok: true}) || released != (answer{ok: true}) {
		t.Errorf("%s: renewed %+v, released %+v", name, renewed, released)
	}
}

// processes is how many processes use a file at the same time.
const processes = 4

// Four processes of eight goroutines count in a row that the lock protects: no count is lost, and no call fails.
func TestProcessesMeetNoErrorAndNeverHoldTogether(t *testing.T) {
	path := newPath(t)
	open(t, path, nil)
	counter := newForeign(t, path)
	counter.does("CREATE TABLE protected (entries INTEGER, newest INTEGER)")
	counter.does("INSERT INTO protected VALUES (0, 0)")
	counter.does("CREATE TABLE entered (n INTEGER)")
	runAll(t, processes, "contender", path)
	if counted, entered := counter.number("SELECT entries FROM protected"), counter.number("SELECT count(*) FROM entered"); counted != entered || counted == 0 {
		t.Errorf("%d entries were counted, %d were made", counted, entered)
	}
}

// beContender fights for the lock and counts, by reading and then writing, whenever it holds it.
func beContender(path string) error {
	repo, err := sqlite.Open(context.Background(), path, ports.SystemClock{})
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_busy_timeout=20000&_synchronous=OFF")
	if err != nil {
		return err
	}
	locker := namedlock.New(repo)
	failures := make(chan error, 8)
	for i := range cap(failures) {
		go func() { failures <- countUnder(locker, db, fmt.Sprintf("%d-%d", os.Getpid(), i)) }()
	}
	for range cap(failures) {
		err = errors.Join(err, <-failures)
	}
	return err
}

// countUnder tries a hundred times, and counts each time that it holds the lock. The token must never go back. Between two
// tries it holds a lock that nobody else wants.
func countUnder(locker *namedlock.Locker, db *sql.DB, owner string) error {
	ctx := context.Background()
	for range 100 {
		if err := holdAlone(ctx, locker, owner); err != nil {
			return err
		}
		lock, _, err := locker.TryLock(ctx, "shared", owner, time.Hour)
		if err != nil {
			return err
		}
		if lock == nil {
			continue
		}
		var entries, newest int64
		if err := db.QueryRow("SELECT entries, newest FROM protected").Scan(&entries, &newest); err != nil {
			return err
		}
		if newest >= int64(lock.Token()) {
			return fmt.Errorf("token %d after %d", lock.Token(), newest)
		}
		if _, err := db.Exec("UPDATE protected SET entries = ?, newest = ?; INSERT INTO entered VALUES (1)", entries+1, lock.Token()); err != nil {
			return err
		}
		if released, err := lock.Release(ctx); !released || err != nil {
			return fmt.Errorf("released %v: %w", released, err)
		}
	}
	return nil
}

// holdAlone takes, renews and releases a lock that is the owner's own in name as well.
func holdAlone(ctx context.Context, locker *namedlock.Locker, owner string) error {
	lock, incumbent, err := locker.TryLock(ctx, "own-"+owner, owner, time.Hour)
	if lock == nil {
		return fmt.Errorf("a lock of %s alone: incumbent %+v, error %w", owner, incumbent, err)
	}
	renewed, failed := lock.Renew(ctx, time.Hour)
	released, err := lock.Release(ctx)
	if err := errors.Join(failed, err); !renewed || !released {
		return fmt.Errorf("a lock of %s alone: renewed %v, released %v, error %w", owner, renewed, released, err)
	}
	return nil
}

func TestTwentyProcessesThatOpenOneNewFileAllSucceed(t *testing.T) {
	for range 10 {
		path := newPath(t)
		runAll(t, 20, "opener", path)
		watch := newForeign(t, path)
		if versions := watch.number("SELECT count(*) FROM namedlock_migrations"); versions != 1 {
			t.Errorf("%d versions are recorded, want 1", versions)
		}
		if locks := watch.number("SELECT count(*) FROM namedlock_locks"); locks != 20 {
			t.Errorf("%d locks are held, want one of each process", locks)
		}
		onlyFiles(t, path)
	}
}
