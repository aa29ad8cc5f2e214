package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
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

func TestM3ARenewalThatWaitedForTheWriterBeyondItsDeadlineIsRefused(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			path := newPath(t)
			clock := awaited{newClock(), make(chan struct{}, 1)}
			locker := namedlock.New(way(t, path, clock))
			lock := grant(t, locker, "x", "A", time.Minute)
			writer := newForeign(t, path)
			writer.does("BEGIN IMMEDIATE")
			<-clock.read // the grant's own reading

			renewed := call(func() answer { return answerOf(lock.Renew(context.Background(), time.Hour)) })
			select {
			case <-clock.read:
				t.Error("the clock was read before the wait for the writer was over")
			case <-time.After(100 * time.Millisecond):
			}
			clock.advance(2 * time.Minute)
			writer.does("COMMIT")

			if got := <-renewed; got != (answer{}) {
				t.Errorf("the renewal was answered with %+v, want a refusal", got)
			}
			grant(t, locker, "x", "B", time.Minute)
		})
	}
}

func TestM3AnAcquireThatWaitedForTheWriterGetsAFullWindowFromThenOn(t *testing.T) {
	path, clock := newPath(t), newClock()
	locker := namedlock.New(open(t, path, clock))
	writer := newForeign(t, path)
	writer.does("BEGIN IMMEDIATE")
	granted := call(func() *namedlock.Lock { return grant(t, locker, "x", "A", time.Hour) })
	clock.advance(time.Minute)
	writer.does("COMMIT")
	if got, want := (<-granted).Deadline(), clock.Now().Add(time.Hour); !got.Equal(want) {
		t.Errorf("the deadline is %v, want %v", got, want)
	}
}

func TestALosingTryTakesNoWriterLock(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			path := newPath(t)
			locker := namedlock.New(way(t, path, newClock()))
			grant(t, locker, "x", "A", time.Hour)
			newForeign(t, path).does("BEGIN IMMEDIATE")
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			if _, incumbent, err := locker.TryLock(ctx, "x", "B", time.Hour); incumbent == nil || err != nil {
				t.Errorf("%v, %v: want the incumbent while somebody else writes", incumbent, err)
			}
		})
	}
}

// The driver's own busy wait hears no context. Ours does, and what was given up writes nothing later.
func TestWaitingForTheWriterEndsWithTheContext(t *testing.T) {
	for how, way := range ways {
		t.Run(how, func(t *testing.T) {
			path := newPath(t)
			repo := way(t, path, newClock())
			locker := namedlock.New(repo)
			lock := grant(t, locker, "x", "A", time.Hour)
			writer := newForeign(t, path)
			writer.does("BEGIN IMMEDIATE")
			for what, operation := range map[string]func(context.Context) error{
				"a try":     func(ctx context.Context) error { _, _, err := locker.TryLock(ctx, "y", "A", time.Hour); return err },
				"a renewal": func(ctx context.Context) error { _, err := lock.Renew(ctx, 2*time.Hour); return err },
				"a break":   func(ctx context.Context) error { _, err := locker.Break(ctx, "x", lock.Token()); return err },
			} {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				started := time.Now()
				err := operation(ctx)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, namedlock.ErrDatabase) {
					t.Errorf("%s: %v, want the end of the context as an error of the store", what, err)
				}
				if took := time.Since(started); took > time.Second {
					t.Errorf("%s took %v, want little more than 50ms", what, took)
				}
			}
			writer.does("COMMIT")
			grant(t, locker, "z", "A", time.Hour) // by now whatever waited on has had its turn
			if rows := writer.number("SELECT count(*) FROM namedlock_locks WHERE name = 'y'"); rows != 0 {
				t.Error("the try that was given up has left a row")
			}
			if deadline := writer.number("SELECT deadline FROM namedlock_locks WHERE name = 'x'"); deadline != lock.Deadline().UnixMicro() {
				t.Error("the renewal that was given up has moved the deadline")
			}
		})
	}
}

// A release waits as long as its own bound lets it, and is not given up because somebody writes for a while.
func TestAReleaseOutwaitsABusyWriter(t *testing.T) {
	path := newPath(t)
	lock := grant(t, namedlock.New(open(t, path, newClock())), "x", "A", time.Hour)
	writer := newForeign(t, path)
	writer.does("BEGIN IMMEDIATE")
	released := call(func() answer { return answerOf(lock.Release(context.Background())) })
	select {
	case got := <-released:
		t.Errorf("released beside a writer: %+v", got)
	case <-time.After(500 * time.Millisecond):
	}
	writer.does("COMMIT")
	if got := <-released; got != (answer{ok: true}) {
		t.Errorf("%+v, want true", got)
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
