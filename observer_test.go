package namedlock

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// record remembers what it observes.
type record struct {
	mu     sync.Mutex
	events []Event
}

func (r *record) Observe(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// kinds returns what happened, in order, and forgets it.
func (r *record) kinds() []EventKind {
	r.mu.Lock()
	defer r.mu.Unlock()
	var kinds []EventKind
	for _, e := range r.events {
		kinds = append(kinds, e.Kind)
	}
	r.events = nil
	return kinds
}

// observed fails unless exactly those events came since the last look.
func observed(t *testing.T, r *record, want ...EventKind) {
	t.Helper()
	synctest.Wait()
	if got := r.kinds(); !slices.Equal(got, want) {
		t.Errorf("observed %q, want %q", got, want)
	}
}

func TestTheObserverHearsWhatHappens(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		r := &record{}
		locker := New(s, WithObserver(r))
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		observed(t, r, Granted)
		lose(t, locker, "reports", "bob")
		observed(t, r, Refused)
		renews(t, lock, 30*time.Second, true)
		observed(t, r, Renewed)
		releases(t, lock, true)
		observed(t, r, Released)
		releases(t, lock, false)
		observed(t, r)

		_ = locker.Do(t.Context(), "reports", "ann", 30*time.Second, lasts(25*time.Second, nil))
		observed(t, r, Granted, Renewed, Renewed, Released)

		_ = locker.Do(t.Context(), "reports", "ann", 30*time.Second, func(ctx context.Context) error {
			s.unreachable.Store(true)
			<-ctx.Done()
			return nil
		})
		got := r.kinds()
		if n := len(got); n < 6 || got[0] != Granted || got[1] != RenewalFailed || got[n-2] != Lost || got[n-1] != ReleaseFailed {
			t.Errorf("observed %q", got)
		}
		_, _, _ = locker.TryLock(t.Context(), "reports", "bob", time.Minute)
		observed(t, r, AcquireFailed)
	})
}

func TestAWaiterIsRefusedOnceAndItsWaitIsMeasured(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		r := &record{}
		take(t, New(s), "reports", "ann", time.Minute)
		(<-waits(t.Context(), New(s, WithObserver(r)), "reports", "bob", time.Minute)).granted(t)
		if len(r.events) != 2 || r.events[0].Kind != Refused || r.events[0].Incumbent.Owner != "ann" || r.events[0].Owner != "bob" {
			t.Errorf("observed %+v", r.events)
		}
		if got := r.events[1]; got.Kind != Granted || got.Token != 2 || got.Took.Round(time.Millisecond) != time.Minute {
			t.Errorf("observed %+v", got)
		}
	})
}

func TestACleanShutdownLogsNothingAtLevelError(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))
		locker := New(s, WithObserver(LogObserver(logger)))
		ctx, cancel := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		for i, at := range []context.Context{ctx, ctx, t.Context(), t.Context()} {
			ended.Go(func() {
				_ = locker.Lead(at, fmt.Sprint("office ", i/2), fmt.Sprint("candidate ", i), 10*time.Second, lasts(time.Hour, nil))
			})
		}
		time.Sleep(time.Minute)
		cancel()
		synctest.Wait()
		shut(t, s, locker)
		ended.Wait()
		if log.Len() > 0 {
			t.Errorf("the log says:\n%s", &log)
		}
	})
}

func TestTheLogTellsOfALossAndOfAStoreThatDoesNotAnswer(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		var log bytes.Buffer
		locker := New(s, WithObserver(LogObserver(slog.New(slog.NewTextHandler(&log, nil)))))
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		s.unreachable.Store(true)
		<-ctx.Done()
		stop()
		time.Sleep(time.Second)
		synctest.Wait()
		for _, want := range []string{`level=ERROR msg="namedlock: lost" name=reports owner=ann`, `level=WARN msg="namedlock: renewal failed"`, errDown.Error()} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log does not say %q:\n%s", want, &log)
			}
		}
	})
}
