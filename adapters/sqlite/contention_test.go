package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
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

// childVariable holds the path of the file, in a process that TestMain turns into a contender, or an opener.
const (
	contenderVariable = "NAMEDLOCK_TEST_CONTENDER"
	openerVariable    = "NAMEDLOCK_TEST_OPENER"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(contenderVariable); path != "" {
		os.Exit(beContender(path))
	}
	if path := os.Getenv(openerVariable); path != "" {
		os.Exit(beOpener(path))
	}
	os.Exit(m.Run())
}

// child returns a process of this program that does something else with the file.
func child(variable, path string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), variable+"="+path)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return command
}

// runAll runs processes at the same time and fails when one does.
func runAll(t *testing.T, n int, variable, path string) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := child(variable, path).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Four processes of eight goroutines count in a row that the lock protects: no count is lost, and no call fails.
func TestProcessesMeetNoErrorAndNeverHoldTogether(t *testing.T) {
	path := newPath(t)
	open(t, path, nil)
	counter := newForeign(t, path)
	counter.does("CREATE TABLE protected (entries INTEGER, newest INTEGER)")
	counter.does("INSERT INTO protected VALUES (0, 0)")
	counter.does("CREATE TABLE entered (n INTEGER)")
	runAll(t, processes, contenderVariable, path)
	if counted, entered := counter.number("SELECT entries FROM protected"), counter.number("SELECT count(*) FROM entered"); counted != entered || counted == 0 {
		t.Errorf("%d entries were counted, %d were made", counted, entered)
	}
}

// beContender fights for the lock and counts, by reading and then writing, whenever it holds it.
func beContender(path string) int {
	repo, err := sqlite.Open(context.Background(), path, ports.SystemClock{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	db, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_busy_timeout=20000&_synchronous=OFF")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	locker := namedlock.New(repo)
	failures := make(chan error, 8)
	for i := range 8 {
		go func() { failures <- countUnder(locker, db, fmt.Sprintf("%d-%d", os.Getpid(), i)) }()
	}
	code := 0
	for range 8 {
		if err := <-failures; err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	return code
}

// countUnder tries a hundred times, and counts each time that it holds the lock. The token must never go back.
func countUnder(locker *namedlock.Locker, db *sql.DB, owner string) error {
	ctx := context.Background()
	for range 100 {
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

func TestTwentyProcessesThatOpenOneNewFileAllSucceed(t *testing.T) {
	for range 3 {
		path := newPath(t)
		runAll(t, 20, openerVariable, path)
		if versions := newForeign(t, path).number("SELECT count(*) FROM namedlock_migrations"); versions != 1 {
			t.Errorf("%d versions are recorded, want 1", versions)
		}
	}
}

// beOpener opens the file and takes a lock of its own.
func beOpener(path string) int {
	repo, err := sqlite.Open(context.Background(), path, ports.SystemClock{})
	if err == nil {
		_, _, err = namedlock.New(repo).TryLock(context.Background(), fmt.Sprint(os.Getpid()), "A", time.Hour)
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}
