package namedlock

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// lossOf returns the loss that ended the context, and fails when there is none.
func lossOf(t *testing.T, ctx context.Context, reason error) *LostError {
	t.Helper()
	var lost *LostError
	if !errors.As(context.Cause(ctx), &lost) || !errors.Is(lost, reason) {
		t.Fatalf("the cause is %v, want a loss because %q", context.Cause(ctx), reason)
	}
	for _, other := range []error{ErrLapsed, ErrTaken, ErrMaxHold, ErrReleased, ErrClosed} {
		if errors.Is(lost, other) != (other == reason) { //nolint:errorlint // which of the list it is
			t.Errorf("%v is %q", lost, other)
		}
	}
	return lost
}

// ended fails unless a loss for this reason ended the context.
func ended(t *testing.T, ctx context.Context, reason error) {
	t.Helper()
	_ = lossOf(t, ctx, reason)
}

// alive fails when the context has ended.
func alive(t *testing.T, ctx context.Context) {
	t.Helper()
	if ctx.Err() != nil {
		t.Fatalf("the context ended: %v", context.Cause(ctx))
	}
}

func TestKeepRenewsAtAThirdOfTheTTL(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		for i := range int32(10) {
			time.Sleep(10*time.Second - time.Microsecond)
			if got := s.renewals.Load(); got != i {
				t.Fatalf("%d renewals, want %d", got, i)
			}
			time.Sleep(time.Microsecond)
			synctest.Wait()
			if got := s.renewals.Load(); got != i+1 {
				t.Fatalf("%d renewals, want %d", got, i+1)
			}
			remains(t, lock, 30*time.Second)
		}
		alive(t, ctx)
	})
}

func TestAWeekOfRenewals(t *testing.T) {
	began := time.Now()
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		time.Sleep(7 * 24 * time.Hour)
		alive(t, ctx)
		if got, want := s.renewals.Load(), int32(7*24*360); got < want-1 || got > want {
			t.Errorf("%d renewals, want about %d", got, want)
		}
	})
	t.Logf("a week took %v", time.Since(began))
}

func TestTheWorkHearsOfAnUnreachableStoreBeforeTheDeadline(t *testing.T) {
	for name, trouble := range map[string]func(*store){
		"it fails": func(s *store) { s.unreachable.Store(true) },
		"it hangs": func(s *store) { s.frozen.Store(true) },
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				began := time.Now()
				lock := take(t, locker, "reports", "ann", 30*time.Second)
				ctx, stop := lock.Keep(t.Context())
				defer stop()
				trouble(s)
				<-ctx.Done()
				if got := time.Since(began); got != 27*time.Second {
					t.Errorf("the work heard after %v, want a tenth of the ttl before its end", got)
				}
				lost := lossOf(t, ctx, ErrLapsed)
				is(t, lost, ErrDatabase)
				if lost.Name != "reports" || lost.Token != lock.Token() {
					t.Errorf("%+v does not tell what was lost", lost)
				}
				remains(t, lock, 0)
				if row, _ := stands(t, s, "reports"); !row.LiveAt(domain.InstantOf(time.Now())) {
					t.Error("somebody else could have had the lock by then")
				}
				asked := s.renewals.Load()
				if asked < 3 {
					t.Errorf("%d renewals were tried, want several", asked)
				}
				time.Sleep(time.Minute)
				if late := s.renewals.Load() - asked; late > 0 {
					t.Errorf("%d renewals were tried after the loss", late)
				}
			})
		})
	}
}

func TestOneFailedRenewalIsNoLoss(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		for range 100 {
			s.unreachable.Store(true)
			time.Sleep(14 * time.Second)
			s.unreachable.Store(false)
			time.Sleep(3 * time.Second)
			alive(t, ctx)
		}
	})
}

func TestTheWorkHearsAtOnceWhatTheStoreSays(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		if broken, err := locker.Break(t.Context(), "reports", lock.Token()); !broken || err != nil {
			t.Fatal(broken, err)
		}
		take(t, locker, "reports", "bob", time.Hour)
		<-ctx.Done()
		ended(t, ctx, ErrTaken)
		stop()
		time.Sleep(time.Minute)
		if row, _ := stands(t, s, "reports"); row.Owner().String() != "bob" {
			t.Errorf("%+v stands, want the one of bob", row)
		}
	})
}

func TestARefusedRenewalByHandEndsTheKeepingToo(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		_, _ = locker.Break(t.Context(), "reports", lock.Token())
		renews(t, lock, time.Minute, false)
		synctest.Wait()
		ended(t, ctx, ErrTaken)
	})
}

func TestWhatWasDeclaredLostIsNeverKeptAgain(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.renew = func(_ context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			time.Sleep(18500 * time.Millisecond) // deaf to its context, it answers after the loss and before the deadline
			return s.Repository.Renew(context.Background(), grant, ttl)
		}
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		<-ctx.Done()
		ended(t, ctx, ErrLapsed)
		time.Sleep(2 * time.Second)
		row, found := stands(t, s, "reports")
		if until := time.Until(row.Deadline().Time()); !found || until < 20*time.Second {
			t.Fatalf("%+v: the late renewal did not succeed, or was given back before the work had its time", row)
		}
		remains(t, lock, 0)
		time.Sleep(1100 * time.Millisecond)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v was not given back", row)
		}
		ended(t, ctx, ErrLapsed)
	})
}

func TestAtMostOneRenewalIsInFlight(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		var flying, most atomic.Int32
		s.renew = func(_ context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			most.Store(max(most.Load(), flying.Add(1)))
			defer flying.Add(-1)
			time.Sleep(8 * time.Second)
			return s.Repository.Renew(context.Background(), grant, ttl)
		}
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		for range 20 {
			time.Sleep(4 * time.Second)
			renews(t, lock, 30*time.Second, true)
		}
		alive(t, ctx)
		stop()
		if most.Load() != 1 {
			t.Errorf("%d renewals were in flight together", most.Load())
		}
	})
}

func TestNoRenewalBeginsAfterStopOrRelease(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		stop()
		stop()
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			t.Errorf("the cause is %v", cause)
		}
		remains(t, lock, 30*time.Second)
		again, stopAgain := lock.Keep(t.Context())
		defer stopAgain()
		releases(t, lock, true)
		synctest.Wait()
		ended(t, again, ErrReleased)
		time.Sleep(time.Minute)
		if got := s.renewals.Load(); got != 0 {
			t.Errorf("%d renewals", got)
		}
	})
}

func TestARenewalInFlightDoesNotBringAReleasedLockBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.renew = func(_ context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			time.Sleep(time.Second)
			return s.Repository.Renew(context.Background(), grant, ttl)
		}
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		_, stop := lock.Keep(t.Context())
		time.Sleep(10*time.Second + time.Millisecond)
		stop()
		releases(t, lock, true)
		time.Sleep(time.Minute)
		remains(t, lock, 0)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v came back", row)
		}
	})
}

func TestKeepGoesOnUntilStopAlthoughItsContextHasEnded(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		parent, cancel := context.WithCancel(t.Context())
		ctx, stop := lock.Keep(parent)
		defer stop()
		cancel()
		<-ctx.Done()
		time.Sleep(5 * time.Minute)
		lose(t, locker, "reports", "bob")
	})
}

func TestM7AMachineThatSleptHearsOfItWithinMoments(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		var slept atomic.Int64
		locker.now = func() time.Time { return time.Now().Round(0).Add(time.Duration(slept.Load())) }
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		time.Sleep(5 * time.Second)
		slept.Store(int64(time.Hour))
		woken := time.Now()
		<-ctx.Done()
		ended(t, ctx, ErrLapsed)
		if late := time.Since(woken); late > longestLook {
			t.Errorf("it heard after %v", late)
		}
	})
}

func TestKeepOfALockThatIsOverEndsAtOnce(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lapsedLock := take(t, locker, "lapsed", "ann", time.Second)
		time.Sleep(time.Second)
		ctx, stop := lapsedLock.Keep(t.Context())
		defer stop()
		synctest.Wait()
		ended(t, ctx, ErrLapsed)

		released := take(t, locker, "released", "ann", time.Second)
		releases(t, released, true)
		ctx, stop = released.Keep(t.Context())
		defer stop()
		synctest.Wait()
		ended(t, ctx, ErrReleased)
	})
}

// Whoever comes late still gets a try before he is told that it is too late.
func TestKeepThatBeginsLateRenewsAtOnce(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(29 * time.Second)
		ctx, stop := lock.Keep(t.Context())
		defer stop()
		synctest.Wait()
		alive(t, ctx)
		remains(t, lock, 30*time.Second)
	})
}

func TestCloseEndsKeepingAndStopGivesTheLockBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		ctx, stop := lock.Keep(t.Context())
		var found bool
		s.shut = func() error { _, found = stands(t, s, "reports"); return nil }
		go func() {
			<-ctx.Done()
			time.Sleep(time.Second)
			stop()
		}()
		began := time.Now()
		shut(t, s, locker)
		ended(t, ctx, ErrClosed)
		if lasted := time.Since(began); lasted != time.Second || found {
			t.Errorf("closing took %v, and the lock stood: %v", lasted, found)
		}
		late, stopLate := lock.Keep(t.Context())
		defer stopLate()
		ended(t, late, ErrClosed)
	})
}

func TestWorkThatDoesNotEndIsNotWaitedForLongerThan5s(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		_, stop := lock.Keep(t.Context())
		began := time.Now()
		shut(t, s, locker)
		if lasted := time.Since(began); lasted != 5*time.Second {
			t.Errorf("closing took %v", lasted)
		}
		stop()
	})
}
