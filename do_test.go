package namedlock

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// errWork is what work fails with.
var errWork = errors.New("the printer is out of paper")

// lasts returns work that takes a time and returns err, or the cause of its context's end.
func lasts(d time.Duration, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		if slept(ctx, d) {
			return err
		}
		return context.Cause(ctx)
	}
}

// isFree fails when the name is held.
func isFree(t *testing.T, s *store, name string) {
	t.Helper()
	if row, found := stands(t, s, name); found {
		t.Errorf("%+v is left", row)
	}
}

func TestDoHoldsTheLockWhileTheWorkRunsAndGivesItBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		err := locker.Do(t.Context(), "reports", "ann", 30*time.Second, func(ctx context.Context) error {
			time.Sleep(10 * time.Minute)
			lose(t, locker, "reports", "bob")
			return ctx.Err()
		})
		if err != nil {
			t.Error(err)
		}
		isFree(t, s, "reports")
		if err := locker.Do(t.Context(), "reports", "ann", 30*time.Second, lasts(0, errWork)); err != errWork { //nolint:errorlint // as it is
			t.Errorf("%v, want the error of the work as it is", err)
		}
		isFree(t, s, "reports")
	})
}

func TestDoWaitsUnlessItIsToldNotTo(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		take(t, locker, "reports", "ann", time.Minute)
		began := time.Now()
		var held *HeldError
		err := locker.Do(t.Context(), "reports", "bob", time.Minute, unreached(t), NoWait())
		if !errors.As(err, &held) || held.Incumbent.Owner != "ann" || held.Incumbent.Remaining() != time.Minute {
			t.Errorf("%v does not tell who holds the lock", err)
		}
		if errors.Is(err, ErrDatabase) {
			t.Errorf("%v is an error of the store", err)
		}
		ran := false
		err = locker.Do(t.Context(), "reports", "bob", time.Minute, func(context.Context) error { ran = true; return nil })
		if took := time.Since(began); err != nil || !ran || took < time.Minute || took > time.Minute+time.Microsecond {
			t.Errorf("it ran %v after %v: %v", ran, took, err)
		}
		is(t, locker.Do(expired(t, 0), "reports", "eve", time.Minute, unreached(t)), context.DeadlineExceeded)
		s.unreachable.Store(true)
		is(t, locker.Do(t.Context(), "reports", "eve", time.Minute, unreached(t), NoWait()), ErrDatabase, errDown)
	})
}

func TestDoReleasesThoughItsContextHasEnded(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		ctx, cancel := context.WithCancel(t.Context())
		err := locker.Do(ctx, "reports", "ann", time.Hour, func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		is(t, err, context.Canceled)
		isFree(t, s, "reports")
	})
}

func TestDoReleasesWhenTheWorkPanicsOrExits(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		func() {
			defer func() {
				if got := recover(); got != errWork { //nolint:errorlint // as it is
					t.Errorf("the panic went on as %v", got)
				}
			}()
			_ = locker.Do(t.Context(), "reports", "ann", time.Hour, func(context.Context) error { panic(errWork) })
		}()
		isFree(t, s, "reports")
		exited := make(chan struct{})
		go func() {
			defer close(exited)
			_ = locker.Do(t.Context(), "reports", "ann", time.Hour, func(context.Context) error { runtime.Goexit(); return nil })
		}()
		<-exited
		isFree(t, s, "reports")
		time.Sleep(longestLook)
		synctest.Wait()
		locker.keeper.mu.Lock()
		defer locker.keeper.mu.Unlock()
		if n := len(locker.keeper.kept); n != 0 || locker.keeper.running {
			t.Errorf("%d locks are kept still, the keeper runs: %v", n, locker.keeper.running)
		}
	})
}

func TestDoEndsTheWorkBeforeSomebodyElseCanHaveTheLock(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		began := time.Now()
		err := locker.Do(t.Context(), "reports", "ann", 30*time.Second, func(ctx context.Context) error {
			s.frozen.Store(true)
			<-ctx.Done()
			s.frozen.Store(false)
			return errWork
		})
		if took := time.Since(began); took != 27*time.Second {
			t.Errorf("the work was told after %v", took)
		}
		is(t, err, errWork, ErrLapsed)
		isFree(t, s, "reports")
	})
}

// Who did work without the lock must hear of it, also when the work went well.
func TestDoTellsOfALossThatNobodyNoticed(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		err := locker.Do(t.Context(), "reports", "ann", time.Hour, func(context.Context) error {
			row, _ := stands(t, s, "reports")
			_, _ = locker.Break(t.Context(), "reports", row.Token())
			return nil
		})
		is(t, err, ErrTaken)
	})
}

func TestDoTellsOfAReleaseThatFailed(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		err := locker.Do(t.Context(), "reports", "ann", time.Hour, func(context.Context) error {
			s.unreachable.Store(true)
			return errWork
		})
		is(t, err, errWork, errDown)
		if isLoss(err) {
			t.Errorf("%v tells of a loss", err)
		}
	})
}

func TestAtLeastKeepsTheNameTakenAndReturnsAtOnce(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		began := time.Now()
		for _, ttl := range []time.Duration{time.Second, time.Hour} {
			name := ttl.String()
			if err := locker.Do(t.Context(), name, "ann", ttl, lasts(time.Second/2, errWork), AtLeast(time.Minute)); err != errWork { //nolint:errorlint // as it is
				t.Error(err)
			}
			row, found := stands(t, s, name)
			if !found || row.Deadline() != row.AcquiredAt()+domain.Instant(time.Minute.Microseconds()) {
				t.Errorf("%+v does not end a minute after its beginning", row)
			}
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
		if err := locker.Do(t.Context(), "long", "ann", time.Minute, lasts(time.Hour, nil), AtLeast(time.Minute)); err != nil {
			t.Error(err)
		}
		isFree(t, s, "long")
	})
}

func TestAtLeastDoesNotProlongWhatWasLost(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		err := locker.Do(t.Context(), "reports", "ann", time.Second, func(ctx context.Context) error {
			s.unreachable.Store(true)
			<-ctx.Done()
			s.unreachable.Store(false)
			return nil
		}, AtLeast(time.Hour))
		is(t, err, ErrLapsed)
		isFree(t, s, "reports")
	})
}

func TestAtMostEndsWorkThatHangs(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		began := time.Now()
		err := locker.Do(t.Context(), "reports", "ann", 30*time.Second, func(ctx context.Context) error {
			<-ctx.Done()
			ended(t, ctx, ErrMaxHold)
			return nil
		}, AtMost(100*time.Second))
		if took := time.Since(began); took != 100*time.Second {
			t.Errorf("it took %v", took)
		}
		is(t, err, ErrMaxHold)
		isFree(t, s, "reports")

		hung := make(chan error)
		go func() {
			hung <- locker.Do(t.Context(), "reports", "ann", 30*time.Second, func(context.Context) error {
				time.Sleep(time.Hour)
				return nil
			}, AtMost(100*time.Second))
		}()
		time.Sleep(131 * time.Second)
		take(t, locker, "reports", "bob", 2*time.Hour)
		is(t, <-hung, ErrMaxHold)
		lose(t, locker, "reports", "eve")
	})
}

func TestL9DurationsOfOptionsAreGuarded(t *testing.T) {
	s := newStore()
	locker := New(s)
	for _, option := range []DoOption{AtLeast(0), AtLeast(-1), AtMost(0), AtMost(-time.Hour)} {
		is(t, locker.Do(t.Context(), "reports", "ann", time.Hour, unreached(t), option, AtMost(time.Hour)), ErrInvalidTTL)
	}
	if s.asked.Load() != 0 {
		t.Error("the store was asked")
	}
}

func TestCloseEndsTheWorkAndWaitsForIt(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		var freed bool
		s.shut = func() error { _, found := stands(t, s, "reports"); freed = !found; return nil }
		done := make(chan error, 1)
		go func() {
			done <- locker.Do(t.Context(), "reports", "ann", time.Hour, func(ctx context.Context) error {
				<-ctx.Done()
				time.Sleep(time.Second)
				return errWork
			})
		}()
		synctest.Wait()
		began := time.Now()
		shut(t, s, locker)
		is(t, <-done, errWork, ErrClosed)
		if took := time.Since(began); took != time.Second || !freed {
			t.Errorf("closing took %v, and the lock was given back: %v", took, freed)
		}
		is(t, locker.Do(t.Context(), "reports", "ann", time.Hour, unreached(t)), ErrClosed)
	})
}

func TestCloseFromInsideTheWorkReturns(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		began := time.Now()
		err := locker.Do(t.Context(), "reports", "ann", time.Hour, func(ctx context.Context) error {
			shut(t, s, locker)
			ended(t, ctx, ErrClosed)
			return nil
		})
		is(t, err, ErrClosed)
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
