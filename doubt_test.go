package namedlock

import (
	"context"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// A renewal without an answer may have been carried out, or not.
func TestM7ARenewalThatFailedCountsForTheLess(t *testing.T) {
	for ttl, want := range map[time.Duration]time.Duration{
		time.Hour:        30*time.Second - 500*time.Millisecond,
		30 * time.Second: 30*time.Second - 500*time.Millisecond,
		2 * time.Second:  1500 * time.Millisecond,
		time.Millisecond: 0,
	} {
		for _, carriedOut := range []bool{true, false} {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				lock := take(t, locker, "reports", "ann", 30*time.Second)
				s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
					if carriedOut {
						if _, err := s.Repository.Renew(ctx, grant, ttl); err != nil {
							t.Error(err)
						}
					}
					time.Sleep(500 * time.Millisecond)
					return domain.Verdict{}, domain.DatabaseError(errDown)
				}
				renewed, err := lock.Renew(t.Context(), ttl)
				is(t, err, ErrDatabase, errDown)
				if renewed {
					t.Error("the renewal was granted")
				}
				remains(t, lock, want)
				isWithin(t, s, lock)
			})
		}
	}
}

func TestARenewalThatCertainlyHadNoEffectLeavesTheLockAsItIs(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.renew = func(context.Context, domain.Grant, domain.TTL) (domain.Verdict, error) {
			return domain.Verdict{}, ports.NoEffect(errDown)
		}
		_, err := lock.Renew(t.Context(), time.Second)
		is(t, err, ErrDatabase, errDown)
		remains(t, lock, 30*time.Second)
	})
}

func TestM7OfSeveralRenewalsThatFailedTheShortestCounts(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.goDown()
		for _, ttl := range []time.Duration{20 * time.Second, 2 * time.Second, time.Hour, 10 * time.Second} {
			_, err := lock.Renew(t.Context(), ttl)
			is(t, err, errDown)
		}
		remains(t, lock, 2*time.Second)
	})
}

func TestARenewalThatSucceedsEndsTheDoubt(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.goDown()
		if _, err := lock.Renew(t.Context(), 2*time.Second); err == nil {
			t.Error("a store that is down answered")
		}
		time.Sleep(time.Second)
		remains(t, lock, time.Second)
		s.renew = nil
		renews(t, lock, time.Minute, true)
		remains(t, lock, time.Minute)
	})
}

// The shorter renewal was carried out last and heard no answer. The answer of the longer one, sent before it and arriving
// after it, says nothing about that.
func TestM7ALateAnswerDoesNotEndTheDoubtAboutALaterRenewal(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(time.Second)
		s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			verdict, err := s.Repository.Renew(ctx, grant, ttl)
			if ttl.Duration() == time.Hour {
				time.Sleep(time.Second)
				return verdict, err
			}
			return domain.Verdict{}, domain.DatabaseError(errDown)
		}
		go renews(t, lock, time.Hour, true)
		time.Sleep(100 * time.Millisecond)
		if _, err := lock.Renew(t.Context(), 10*time.Second); err == nil {
			t.Error("the store answered")
		}
		isWithin(t, s, lock)
		time.Sleep(time.Second)
		isWithin(t, s, lock)
	})
}
