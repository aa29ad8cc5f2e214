package namedlock

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestL6RenewSetsAFullWindowFromNow(t *testing.T) {
	for title, ttl := range map[string]time.Duration{
		"the same":    30 * time.Second,
		"longer":      time.Hour,
		"shorter":     time.Second,
		"the longest": math.MaxInt64,
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				lock := take(t, locker, "reports", "ann", 30*time.Second)
				time.Sleep(10 * time.Second)
				renews(t, lock, ttl, true)
				remains(t, lock, ttl)
				if row, _ := stands(t, s, "reports"); !lock.Deadline().Equal(row.Deadline().Time()) {
					t.Errorf("deadline is %v, the store's is %v", lock.Deadline(), row.Deadline().Time())
				}
			})
		})
	}
}

func TestL6ManyRenewalsDoNotAddUp(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		for range 5 {
			time.Sleep(time.Millisecond)
			renews(t, lock, time.Second, true)
		}
		remains(t, lock, time.Second)
		time.Sleep(time.Second)
		take(t, locker, "reports", "bob", time.Second)
	})
}

func TestL7RenewIsRefusedForEver(t *testing.T) {
	tests := map[string]func(t *testing.T, locker *Locker, lock *Lock){
		"at the deadline, though nobody took the name": func(*testing.T, *Locker, *Lock) { time.Sleep(30 * time.Second) },
		"when somebody else took the name": func(t *testing.T, locker *Locker, _ *Lock) {
			time.Sleep(30 * time.Second)
			take(t, locker, "reports", "bob", time.Hour)
		},
		"when the same owner took the name anew": func(t *testing.T, locker *Locker, _ *Lock) {
			time.Sleep(30 * time.Second)
			take(t, locker, "reports", "ann", time.Hour)
		},
		"when it was released": func(t *testing.T, _ *Locker, lock *Lock) { releases(t, lock, true) },
		"when it was broken": func(t *testing.T, locker *Locker, lock *Lock) {
			breaks(t, locker, "reports", lock.Token(), true)
		},
		"when it was purged": func(t *testing.T, locker *Locker, _ *Lock) {
			time.Sleep(30 * time.Second)
			purges(t, locker, 0, 1)
		},
	}
	for title, happen := range tests {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				lock := take(t, locker, "reports", "ann", 30*time.Second)
				happen(t, locker, lock)
				before, _ := stands(t, s, "reports")
				renews(t, lock, time.Hour, false)
				remains(t, lock, 0)
				renews(t, lock, time.Hour, false)
				if after, _ := stands(t, s, "reports"); after != before {
					t.Errorf("the row was %+v and is %+v", before, after)
				}
			})
		})
	}
}

func TestL7RenewIsGrantedUntilTheDeadline(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(30*time.Second - time.Microsecond)
		renews(t, lock, 30*time.Second, true)
		remains(t, lock, 30*time.Second)
	})
}

func TestL9ARenewalForNoTimeLeavesTheLockAsItIs(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		asked := s.asked.Load()
		for _, ttl := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
			renewed, err := lock.Renew(t.Context(), ttl)
			is(t, err, ErrInvalidTTL, ErrDatabase)
			if renewed {
				t.Error("the renewal was granted")
			}
		}
		if s.asked.Load() != asked {
			t.Error("the store was asked")
		}
		remains(t, lock, 30*time.Second)
	})
}

func TestL11RenewFailsWhenTheLockerIsClosed(t *testing.T) {
	locker := New(newStore())
	lock := take(t, locker, "reports", "ann", time.Hour)
	shut(t, nil, locker)
	_, err := lock.Renew(t.Context(), time.Hour)
	is(t, err, ErrClosed, ErrDatabase)
	_, err = lock.Renew(t.Context(), 0)
	is(t, err, ErrInvalidTTL)
}

func TestM7ARenewalCountsFromBeforeItWasSent(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			time.Sleep(time.Second)
			defer time.Sleep(2 * time.Second)
			return s.Repository.Renew(ctx, grant, ttl)
		}
		renews(t, lock, time.Minute, true)
		remains(t, lock, 57*time.Second)
	})
}

// Renewals of one handle are sent one after the other, so that the last one that was asked for decides, here and in the
// store.
func TestRenewalsOfOneHandleTakeTurns(t *testing.T) {
	for title, test := range map[string]struct{ slow, fast, apart time.Duration }{
		"the slower one is longer":             {time.Hour, 10 * time.Second, 100 * time.Millisecond},
		"the slower one is shorter":            {10 * time.Second, time.Hour, 100 * time.Millisecond},
		"at one instant, the slower is longer": {time.Hour, 10 * time.Second, 0},
		"at one instant, the slower shorter":   {10 * time.Second, time.Hour, 0},
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				lock := take(t, locker, "reports", "ann", 30*time.Second)
				s.renew = delaying(s, test.slow, time.Second)
				go renews(t, lock, test.slow, true)
				time.Sleep(test.apart)
				synctest.Wait()
				renews(t, lock, test.fast, true)
				remains(t, lock, test.fast)
				isHeldBy(t, s, lock)
				time.Sleep(2 * time.Second)
				remains(t, lock, test.fast-2*time.Second)
			})
		})
	}
}

// A store that is slow must not be asked for more than it can answer.
func TestOneRenewalOfAHandleIsUnderWayAtATime(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		var underWay atomic.Int32
		s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			if underWay.Add(1) > 1 {
				t.Error("two renewals are under way")
			}
			defer underWay.Add(-1)
			time.Sleep(time.Second)
			return s.Repository.Renew(ctx, grant, ttl)
		}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { renews(t, lock, time.Hour, true) })
		}
		all.Wait()
	})
}

func TestARenewalWaitsForItsTurnNoLongerThanItsContextLives(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		s.renew = delaying(s, time.Hour, time.Minute)
		go renews(t, lock, time.Hour, true)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := lock.Renew(ctx, time.Millisecond)
		is(t, err, ErrDatabase, context.DeadlineExceeded)
		if lasted := time.Since(began); lasted != time.Second {
			t.Errorf("the call lasted %v, want no longer than its context", lasted)
		}
		remains(t, lock, time.Hour-time.Second)
		time.Sleep(time.Minute)
	})
}

func TestHandlesOnOneGrantRenewWithoutWaitingForOneAnother(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		first, second := take(t, locker, "reports", "ann", time.Hour), take(t, locker, "reports", "ann", time.Hour)
		s.renew = delaying(s, time.Hour, time.Minute)
		go renews(t, first, time.Hour, true)
		synctest.Wait()
		renews(t, second, 30*time.Second, true)
		remains(t, second, 30*time.Second)
		time.Sleep(time.Minute)
	})
}

// delaying holds back the answers of renewals for slow.
func delaying(
	s *store, slow, delay time.Duration,
) func(context.Context, domain.Grant, domain.TTL) (domain.Verdict, error) {
	return func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
		if ttl.Duration() == slow {
			defer time.Sleep(delay)
		}
		return s.Repository.Renew(ctx, grant, ttl)
	}
}

// A refusal is final, also when the answer of an earlier renewal comes after it.
func TestALateGrantDoesNotReviveARefusedHandle(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(time.Second)
		s.renew = delaying(s, time.Hour, time.Second)
		go renews(t, lock, time.Hour, true)
		time.Sleep(100 * time.Millisecond)
		breaks(t, locker, "reports", lock.Token(), true)
		renews(t, lock, time.Minute, false)
		remains(t, lock, 0)
		time.Sleep(time.Second)
		remains(t, lock, 0)
	})
}

// One after the other is an order, whether or not a clock shows it: a fast store decides twice in a microsecond.
func TestARenewalAtTheInstantOfTheGrantCounts(t *testing.T) {
	for _, ttl := range []time.Duration{time.Second, time.Hour} {
		inTime(t, func(t *testing.T, _ *store, locker *Locker) {
			lock := take(t, locker, "reports", "ann", 30*time.Second)
			renews(t, lock, ttl, true)
			remains(t, lock, ttl)
		})
	}
}

// A clock that was set back, or a successor whose clock is behind, must not make the holder give up a lock that it has.
func TestARenewalCountsThoughTheStoresClockWasSetBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.ahead = -time.Hour
		for range 5 {
			time.Sleep(20 * time.Second)
			renews(t, lock, 30*time.Second, true)
			remains(t, lock, 30*time.Second)
			isHeldBy(t, s, lock)
		}
	})
}

// isHeldBy fails when the handle shows another deadline than the row.
func isHeldBy(t *testing.T, s *store, lock *Lock) {
	t.Helper()
	if row, _ := stands(t, s, lock.Name()); !lock.Deadline().Equal(row.Deadline().Time()) {
		t.Errorf("deadline is %v, the store's is %v", lock.Deadline(), row.Deadline().Time())
	}
}
