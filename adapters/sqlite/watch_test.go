package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// moment is long enough for anything that is sure to happen.
const moment = 20 * time.Second

// rings fails unless the bell rings, and then empties it.
func rings(t *testing.T, bell <-chan struct{}) {
	t.Helper()
	select {
	case <-bell:
	case <-time.After(moment):
		t.Fatal("nobody rang")
	}
}

// quiet empties the bell until nothing has rung for longer than an echo takes.
func quiet(bell <-chan struct{}) {
	for {
		select {
		case <-bell:
		case <-time.After(100 * time.Millisecond):
			return
		}
	}
}

// lookouts is the number of goroutines that look at files.
func lookouts(t *testing.T) int {
	t.Helper()
	var stacks strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 2); err != nil {
		t.Fatal(err)
	}
	return strings.Count(stacks.String(), "(*lookout).look(")
}

// untilNobodyLooks waits until no goroutine looks at a file any more, and untilOneLooks until exactly one does.
func untilNobodyLooks(t *testing.T) { t.Helper(); untilSoManyLook(t, 0) }
func untilOneLooks(t *testing.T)    { t.Helper(); untilSoManyLook(t, 1) }

func untilSoManyLook(t *testing.T, want int) {
	t.Helper()
	for begun := time.Now(); lookouts(t) != want; <-time.After(time.Millisecond) {
		if time.Since(begun) > moment {
			t.Fatalf("%d goroutines look, want %d", lookouts(t), want)
		}
	}
}

func TestAWatchHearsWhatAnotherProcessReleases(t *testing.T) {
	path := newPath(t)
	repo := open(t, path, nil)
	holder := startCrew(t, 1, "holder", path)
	bell, stop := repo.Watch(domain.RestoreName("x"))
	defer stop()
	quiet(bell)
	holder.goOn()
	rings(t, bell)
	if failed := holder.failures(); failed > 0 {
		t.Error("the other process failed")
	}
}

// beHolder holds a lock until it is told to go on.
func beHolder(path string) error {
	repo, err := sqlite.Open(context.Background(), path, ports.SystemClock{})
	if err != nil {
		return err
	}
	lock, incumbent, err := namedlock.New(repo).TryLock(context.Background(), "x", "A", time.Hour)
	if lock == nil {
		return fmt.Errorf("held by %+v: %w", incumbent, err)
	}
	ready()
	_, err = lock.Release(context.Background())
	return err
}

// File systems cut the time of a change to some milliseconds, and a rollback journal leaves the size as it is.
func TestAWatchHearsTwoChangesThatLookLikeOne(t *testing.T) {
	path := newPath(t)
	repo := onHandle(t, openDB(t, path, "_journal_mode=DELETE&_synchronous=OFF"), nil)
	other := openDB(t, path, "_journal_mode=DELETE&_synchronous=OFF&_busy_timeout=10000")
	if _, err := other.ExecContext(t.Context(), "CREATE TABLE changes (n INTEGER); INSERT INTO changes VALUES (0)"); err != nil {
		t.Fatal(err)
	}
	bell, stop := repo.Watch(domain.RestoreName("x"))
	defer stop()
	change := func() {
		if _, err := other.ExecContext(t.Context(), "UPDATE changes SET n = n + 1"); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		quiet(bell)
		change()
		rings(t, bell)
		change()
		rings(t, bell)
	}
}

func TestNobodyLooksAtTheFileWhenNobodyWatches(t *testing.T) {
	repo := open(t, newPath(t), nil)
	for range 3 {
		_, first := repo.Watch(domain.RestoreName("x"))
		_, second := repo.Watch(domain.RestoreName("y"))
		untilOneLooks(t)
		first()
		second()
		untilNobodyLooks(t)
	}
	_, _ = repo.Watch(domain.RestoreName("x"))
	if err := repo.Close(); err != nil {
		t.Fatal(err)
	}
	untilNobodyLooks(t)
	_, _ = repo.Watch(domain.RestoreName("x"))
	untilNobodyLooks(t)
}

func TestALockIsHandedOnBetweenHandlesInMilliseconds(t *testing.T) {
	path := newPath(t)
	ours, theirs := namedlock.New(open(t, path, nil)), namedlock.New(open(t, path, nil))
	var took []time.Duration
	for range 50 {
		held := grant(t, ours, "x", "A", time.Hour)
		waiter := call(func() error {
			lock, err := theirs.Lock(t.Context(), "x", "B", time.Hour)
			if err == nil {
				_, err = lock.Release(t.Context())
			}
			return err
		})
		<-time.After(15 * time.Millisecond)
		released := time.Now()
		if ok, err := held.Release(t.Context()); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := <-waiter; err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(released))
	}
	slices.Sort(took)
	t.Logf("from release to release by the next: median %v, slowest %v", took[len(took)/2], took[len(took)-1])
	if median := took[len(took)/2]; median > 100*time.Millisecond {
		t.Errorf("the median is %v: the release was not heard", median)
	}
}

func TestAnIdleWaiterCostsNothing(t *testing.T) {
	path := newPath(t)
	grant(t, namedlock.New(open(t, path, nil)), "x", "A", time.Hour)
	idler := process("idler", path)
	if err := idler.Run(); err != nil {
		t.Fatal(err)
	}
	idle := idler.ProcessState.UserTime() + idler.ProcessState.SystemTime()
	opener := process("opener", path)
	if err := opener.Run(); err != nil {
		t.Fatal(err)
	}
	if most := idling / 20; idle-opener.ProcessState.UserTime()-opener.ProcessState.SystemTime() > most {
		t.Errorf("waiting for %v took %v of the processor, want %v at most", idling, idle, most)
	}
}

// idling is how long the idler waits.
const idling = 2 * time.Second

// beIdler waits for a lock that it does not get.
func beIdler(path string) error {
	repo, err := sqlite.Open(context.Background(), path, ports.SystemClock{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), idling)
	defer cancel()
	if lock, err := namedlock.New(repo).Lock(ctx, "x", fmt.Sprint(os.Getpid()), time.Hour); lock != nil || ctx.Err() == nil {
		return fmt.Errorf("did not wait: %v, %w", lock, err)
	}
	return nil
}
