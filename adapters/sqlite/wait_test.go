package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

// awaited is a clock that tells when it is read: the moment of a decision.
type awaited struct {
	*clock
	read chan struct{}
}

func (a awaited) Now() time.Time {
	select {
	case a.read <- struct{}{}:
	default:
	}
	return a.clock.Now()
}

// awaiting returns a repository of one way, in a file whose writer is taken, its clock, and what gives the writer back. The
// file holds what prepare puts in before.
func awaiting(t *testing.T, way func(testing.TB, string, ports.Clock) *sqlite.Repository, prepare func(*namedlock.Locker, *clock)) (*namedlock.Locker, awaited, foreign) {
	t.Helper()
	path := newPath(t)
	clock := awaited{newClock(), make(chan struct{}, 1)}
	locker := namedlock.New(way(t, path, clock))
	prepare(locker, clock.clock)
	writer := newForeign(t, path)
	writer.does("BEGIN IMMEDIATE")
	clock.forget()
	return locker, clock, writer
}

// forget drops what was told so far.
func (a awaited) forget() {
	select {
	case <-a.read:
	default:
	}
}

// notReadFor fails when the clock is read within a while: a decision would have been made before its turn.
func (a awaited) notReadFor(t testing.TB, d time.Duration) {
	t.Helper()
	select {
	case <-a.read:
		t.Error("the clock was read before the wait for the writer was over")
	case <-time.After(d):
	}
}

func TestM3ARenewalThatWaitedForTheWriterBeyondItsDeadlineIsRefused(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			var lock *namedlock.Lock
			locker, clock, writer := awaiting(t, way, func(locker *namedlock.Locker, _ *clock) {
				lock = grant(t, locker, "x", "A", time.Minute)
			})
			renewed := call(func() answer { return answerOf(lock.Renew(context.Background(), time.Hour)) })
			clock.notReadFor(t, 100*time.Millisecond)
			clock.advance(time.Minute)
			writer.does("COMMIT")

			if got := <-renewed; got != (answer{}) {
				t.Errorf("the renewal was answered with %+v, want a refusal", got)
			}
			grant(t, locker, "x", "B", time.Minute)
		})
	}
}

// The look for a live lock reads the clock once; the decision must be made by another reading, after the wait.
func TestM3AnAcquireThatWaitedForTheWriterGetsAFullWindowFromThenOn(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			locker, clock, writer := awaiting(t, way, func(locker *namedlock.Locker, clock *clock) {
				grant(t, locker, "x", "A", time.Minute)
				clock.advance(time.Minute)
			})
			granted := call(func() *namedlock.Lock { return grant(t, locker, "x", "B", time.Hour) })
			<-clock.read
			clock.notReadFor(t, 100*time.Millisecond)
			clock.advance(time.Minute)
			writer.does("COMMIT")

			if got, want := (<-granted).Deadline(), clock.Now().Add(time.Hour); !got.Equal(want) {
				t.Errorf("the deadline is %v, want %v", got, want)
			}
		})
	}
}

// While the purge waits, somebody else is granted the lapsed name that it has found.
func TestAPurgeThatWaitedForTheWriterSparesWhatWasGrantedMeanwhile(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			locker, clock, writer := awaiting(t, way, func(locker *namedlock.Locker, clock *clock) {
				grant(t, locker, "x", "A", time.Minute)
				grant(t, locker, "y", "A", time.Minute)
				clock.advance(time.Minute)
			})
			purged := call(func() int {
				removed, err := locker.Purge(context.Background(), 0)
				if err != nil {
					t.Error(err)
				}
				return removed
			})
			<-clock.read
			clock.notReadFor(t, 100*time.Millisecond)
			writer.does("UPDATE namedlock_locks SET token = token + 10, deadline = ? WHERE name = 'x'", clock.Now().Add(time.Hour).UnixMicro())
			writer.does("COMMIT")

			if removed := <-purged; removed != 1 {
				t.Errorf("the purge removed %d rows, want the one that is still lapsed", removed)
			}
			if _, found, err := locker.Find(t.Context(), "x"); !found || err != nil {
				t.Errorf("the live lock: found %v, error %v", found, err)
			}
		})
	}
}

func TestALosingTryTakesNoWriterLock(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			locker, _, _ := awaiting(t, way, func(locker *namedlock.Locker, _ *clock) {
				grant(t, locker, "x", "A", time.Hour)
			})
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if _, incumbent, err := locker.TryLock(ctx, "x", "B", time.Hour); incumbent == nil || err != nil {
				t.Errorf("%v, %v: want the incumbent while somebody else writes", incumbent, err)
			}
			if lock, _, err := locker.TryLock(ctx, "x", "A", time.Hour); lock == nil || err != nil {
				t.Errorf("%v, %v: want the holder's own lock while somebody else writes", lock, err)
			}
			list(t, locker)
		})
	}
}

// A release waits as long as its own bound lets it, and is not given up because another process writes for a while.
func TestAReleaseOutwaitsABusyWriter(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			path := newPath(t)
			lock := grant(t, namedlock.New(way(t, path, newClock())), "x", "A", time.Hour)
			writer := startCrew(t, 1, "writer", path)
			released := call(func() answer { return answerOf(lock.Release(context.Background())) })
			select {
			case got := <-released:
				t.Errorf("released beside a writer: %+v", got)
			case <-time.After(1200 * time.Millisecond):
			}
			writer.goOn()
			if got := <-released; got != (answer{ok: true}) {
				t.Errorf("%+v, want true", got)
			}
			if writer.failures() > 0 {
				t.Error("the writer failed")
			}
		})
	}
}

// Somebody else commits between any two statements of ours, again and again.
func TestForeignCommitsAreNoError(t *testing.T) {
	for how, options := range map[string]string{
		"write-ahead log":                  "_journal_mode=WAL",
		"rollback journal":                 "_journal_mode=DELETE&_synchronous=OFF",
		"one cache shared by connections":  "_journal_mode=WAL&cache=shared",
		"one cache and a rollback journal": "_journal_mode=DELETE&_synchronous=OFF&cache=shared",
	} {
		t.Run(how, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "locks.db")
			db := openDB(t, path, options+"&_busy_timeout=100")
			repo := onHandle(t, db, ports.SystemClock{})
			locker := namedlock.New(repo)
			stop, stopped := make(chan struct{}), make(chan struct{})
			go commitUntil(t, path, stop, stopped)
			contend(t, locker, 8, 30)
			close(stop)
			<-stopped
		})
	}
}

// commitUntil commits foreign changes to the file until stop.
func commitUntil(t *testing.T, path string, stop <-chan struct{}, stopped chan<- struct{}) {
	defer close(stopped)
	other := openDB(t, path, "_busy_timeout=10000&_synchronous=OFF")
	for {
		select {
		case <-stop:
			return
		default:
			if _, err := other.Exec("CREATE TABLE IF NOT EXISTS theirs (n); INSERT INTO theirs VALUES (1)"); err != nil {
				t.Errorf("the foreign writer: %v", err)
				return
			}
		}
	}
}
