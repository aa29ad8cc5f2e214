package namedlock

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// watches waits in the background until the name is free.
func watches(ctx context.Context, locker *Locker, name string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		err := locker.UntilFree(ctx, name)
		done <- outcome{nil, err, time.Now()}
	}()
	return done
}

func TestUntilFreeReturnsAtOnceWhenNobodyHolds(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		if err := locker.UntilFree(t.Context(), "reports"); err != nil {
			t.Error(err)
		}
		take(t, locker, "reports", "ann", time.Second)
		time.Sleep(time.Second)
		began := time.Now()
		if got := (<-watches(t.Context(), locker, "reports")).after(t, began, 0); got.err != nil {
			t.Errorf("a lapsed lock is waited for: %v", got.err)
		}
	})
}

func TestUntilFreeHearsOfAReleaseAndTakesNothing(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		watching := watches(t.Context(), locker, "reports")
		time.Sleep(10 * time.Second)
		released := time.Now()
		releases(t, held, true)
		if got := (<-watching).after(t, released, 0); got.err != nil {
			t.Error(got.err)
		}
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("it took %+v", row)
		}
	})
}

func TestUntilFreeEndsAtTheDeadlineAndFollowsRenewals(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		began := time.Now()
		held := take(t, locker, "reports", "ann", 10*time.Second)
		watching := watches(t.Context(), locker, "reports")
		time.Sleep(9 * time.Second)
		renews(t, held, 10*time.Second, true)
		if got := (<-watching).after(t, began, 19*time.Second); got.err != nil {
			t.Error(got.err)
		}
	})
}

func TestUntilFreeTellsWhoHeldWhenItsContextEnds(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		take(t, locker, "reports", "ann", time.Hour)
		err := locker.UntilFree(expired(t, 3*time.Second), "reports")
		is(t, err, context.DeadlineExceeded)
		var held *HeldError
		if !errors.As(err, &held) || held.Incumbent.Owner != "ann" || errors.Is(err, ErrDatabase) {
			t.Errorf("%v does not tell who holds the lock", err)
		}
	})
}

func TestUntilFreeStandsInNobodysWay(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		watching := watches(t.Context(), locker, "reports")
		synctest.Wait()
		bob := waits(t.Context(), locker, "reports", "bob", 10*time.Second)
		synctest.Wait()
		releases(t, held, true)
		(<-bob).granted(t)
		if got := <-watching; got.err != nil {
			t.Error(got.err)
		}
		nobodyWaits(t, locker)
	})
}

func TestUntilFreeTellsAtOnceThatTheStoreDoesNotAnswerAndWaitsOutAnOutage(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.unreachable.Store(true)
		is(t, locker.UntilFree(t.Context(), "reports"), ErrDatabase, errDown)
		s.unreachable.Store(false)
		held := take(t, locker, "reports", "ann", time.Hour)
		watching := watches(t.Context(), locker, "reports")
		time.Sleep(time.Second)
		s.unreachable.Store(true)
		time.Sleep(time.Minute)
		s.unreachable.Store(false)
		releases(t, held, true)
		if got := <-watching; got.err != nil {
			t.Error(got.err)
		}
	})
}

func TestL11UntilFreeEndsWithErrClosed(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		take(t, locker, "reports", "ann", time.Hour)
		watching := watches(t.Context(), locker, "reports")
		synctest.Wait()
		_ = locker.Close()
		is(t, (<-watching).err, ErrClosed)
		is(t, locker.UntilFree(t.Context(), "reports"), ErrClosed)
	})
}

func TestUntilFreeChecksTheName(t *testing.T) {
	locker := New(newStore())
	is(t, locker.UntilFree(t.Context(), ""), ErrInvalidName)
	is(t, locker.UntilFree(t.Context(), "namedlock:x"), ErrReservedName)
}

// What a store said before it froze is no refusal (L2).
func TestL2AWaitForAFrozenStoreEndsInTimeAndNotAsHeld(t *testing.T) {
	calls := map[string]func(context.Context, *Locker) error{
		"Lock": func(ctx context.Context, l *Locker) error {
			_, err := l.Lock(ctx, "reports", "bob", time.Minute)
			return err
		},
		"UntilFree": func(ctx context.Context, l *Locker) error { return l.UntilFree(ctx, "reports") },
	}
	for title, call := range calls {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				take(t, locker, "reports", "ann", time.Hour)
				for _, alreadyFrozen := range []bool{true, false} {
					s.frozen.Store(alreadyFrozen)
					ctx := expired(t, 10*time.Second)
					done := make(chan error, 1)
					began := time.Now()
					go func() { done <- call(ctx, locker) }()
					time.Sleep(2 * time.Second)
					s.frozen.Store(true)
					err := <-done
					outcome{at: time.Now()}.after(t, began, 10*time.Second)
					is(t, err, context.DeadlineExceeded, ErrDatabase)
					var held *HeldError
					if errors.As(err, &held) {
						t.Errorf("%v takes a frozen store for a lock that is held", err)
					}
				}
				s.frozen.Store(false)
			})
		})
	}
}

// A try that the end of the wait cuts short says nothing against the store.
func TestAWaitThatEndsInTheMidstOfATryTellsWhoHeld(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		take(t, locker, "reports", "ann", time.Hour)
		s.acquire = func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
			select {
			case <-time.After(longSilence * 3 / 4):
				return s.Repository.Acquire(ctx, claim)
			case <-ctx.Done():
				return domain.Verdict{}, domain.DatabaseError(ctx.Err())
			}
		}
		first := waits(expired(t, longSilence*3/4+1100*time.Millisecond), locker, "reports", "bob", time.Minute)
		synctest.Wait()
		second := waits(expired(t, 2*time.Second), locker, "reports", "eve", time.Minute)
		for _, waiting := range []<-chan outcome{first, second} {
			var held *HeldError
			if err := (<-waiting).err; !errors.As(err, &held) || errors.Is(err, ErrDatabase) {
				t.Errorf("%v does not tell who holds the lock", err)
			}
		}
	})
}
