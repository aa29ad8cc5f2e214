package namedlock

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Whoever hears no answer asks again, and may meet there what the lost call got. Whatever that second call is granted must
// not be taken away in the background.
func TestM8ATryAfterALostAnswerKeepsWhatItIsGranted(t *testing.T) {
	for _, pause := range []time.Duration{0, 20 * time.Millisecond, 70 * time.Millisecond} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			s.acquire = arrivingAndLost(s)
			s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
				if !slept(ctx, 50*time.Millisecond) {
					return false, domain.DatabaseError(ctx.Err())
				}
				return s.Repository.Withdraw(ctx, claim)
			}
			fails(t, locker)
			s.acquire = nil
			time.Sleep(pause)
			lock := take(t, locker, "reports", "ann", time.Minute)
			time.Sleep(10 * time.Second)
			lose(t, locker, "reports", "bob")
			renews(t, lock, time.Minute, true)
		})
	}
}

// Two calls of one owner share a grant (L5). That one of them heard no answer is no reason to take it from the other.
func TestM8AGrantThatAnotherCallSharesIsNotTakenFromIt(t *testing.T) {
	for title, second := range map[string]struct{ answer time.Duration }{
		"which was answered before the first was lost": {0},
		"which is answered after the first was lost":   {2 * time.Second},
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				s.acquire = losingTheFirst(s, time.Second, second.answer)
				go fails(t, locker)
				synctest.Wait()
				lock := take(t, locker, "reports", "ann", time.Minute)
				time.Sleep(10 * time.Second)
				lose(t, locker, "reports", "bob")
				renews(t, lock, time.Minute, true)
			})
		})
	}
}

// losingTheFirst carries out every call at once. The first is lost after a while, the second is answered after a while.
func losingTheFirst(
	s *store, lost, answered time.Duration,
) func(context.Context, domain.Claim) (domain.Verdict, error) {
	var calls atomic.Int32
	return func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
		verdict, err := s.Repository.Acquire(ctx, claim)
		switch calls.Add(1) {
		case 1:
			time.Sleep(lost)
			return domain.Verdict{}, domain.DatabaseError(errDown)
		case 2:
			time.Sleep(answered)
		}
		return verdict, err
	}
}

// Until the store was asked nothing counts against the lock.
func TestATryAfterALostAnswerLosesNoTimeByWaiting(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
			time.Sleep(3 * time.Second)
			return s.Repository.Withdraw(ctx, claim)
		}
		fails(t, locker)
		synctest.Wait()
		s.acquire = nil
		remains(t, take(t, locker, "reports", "ann", 30*time.Second), 30*time.Second)
	})
}

func TestATryAfterALostAnswerWaitsNoLongerThanItsContextLives(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, _ domain.Claim) (bool, error) {
			<-ctx.Done()
			return false, domain.DatabaseError(ctx.Err())
		}
		fails(t, locker)
		synctest.Wait()
		s.acquire = nil
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := locker.TryLock(ctx, "reports", "ann", time.Minute)
		is(t, err, ErrDatabase, context.DeadlineExceeded)
		if lasted := time.Since(began); lasted != time.Second {
			t.Errorf("the call lasted %v, want no longer than its context", lasted)
		}
	})
}

// What one call lost concerns nobody else.
func TestOthersDoNotWaitForALostAnswer(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, _ domain.Claim) (bool, error) {
			<-ctx.Done()
			return false, domain.DatabaseError(ctx.Err())
		}
		fails(t, locker)
		synctest.Wait()
		s.acquire = nil
		began := time.Now()
		lose(t, locker, "reports", "bob")
		take(t, locker, "other", "ann", time.Minute)
		if lasted := time.Since(began); lasted != 0 {
			t.Errorf("others waited for %v", lasted)
		}
	})
}

func TestManyTriesOfOneOwnerWhoseAnswersGetLost(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
			time.Sleep(10 * time.Millisecond)
			return s.Repository.Withdraw(ctx, claim)
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { fails(t, locker) })
		}
		all.Wait()
		time.Sleep(5 * time.Second)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v is left behind", row)
		}
	})
}
