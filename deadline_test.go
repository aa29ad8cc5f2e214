package namedlock

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestM7TheLocalDeadlineCountsFromBeforeTheRequest(t *testing.T) {
	for title, slow := range map[string]struct{ request, answer time.Duration }{
		"when the request is slow": {300 * time.Millisecond, 0},
		"when the answer is slow":  {0, 300 * time.Millisecond},
		"when both are slow":       {100 * time.Millisecond, 200 * time.Millisecond},
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				s.acquire = slowly(s.Repository.Acquire, slow.request, slow.answer)
				lock := take(t, locker, "reports", "ann", 30*time.Second)
				remains(t, lock, 30*time.Second-300*time.Millisecond)
			})
		})
	}
}

func TestM7AnAnswerThatComesAfterTheDeadlineGivesNoTime(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = slowly(s.Repository.Acquire, 0, time.Minute)
		remains(t, take(t, locker, "reports", "ann", 30*time.Second), 0)
	})
}

// slowly lets a call travel before it is decided and its answer after it.
func slowly(
	acquire func(context.Context, domain.Claim) (domain.Verdict, error), request, answer time.Duration,
) func(context.Context, domain.Claim) (domain.Verdict, error) {
	return func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
		time.Sleep(request)
		defer time.Sleep(answer)
		return acquire(ctx, claim)
	}
}

// Hosts disagree about the time, so only the length of the window may come from the store.
func TestM7TheStoresClockMayBeWrong(t *testing.T) {
	for _, ahead := range []time.Duration{time.Hour, -time.Hour, -100 * 365 * 24 * time.Hour} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			s.ahead = ahead
			lock := take(t, locker, "reports", "ann", 30*time.Second)
			remains(t, lock, 30*time.Second)
			if want := time.Now().Add(ahead + 30*time.Second); !lock.Deadline().Equal(want) {
				t.Errorf("deadline is %v, want the store's %v", lock.Deadline(), want)
			}
			time.Sleep(10 * time.Second)
			renews(t, lock, time.Minute, true)
			remains(t, lock, time.Minute)
		})
	}
}

// In this world the store and its holder read one clock, so the two deadlines can be compared.
func TestM7TheLocalDeadlineNeverLiesBehindTheStores(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	some := func(most time.Duration) time.Duration { return time.Duration(random.Int64N(int64(most))) }
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		for range 500 {
			s.acquire = slowly(s.Repository.Acquire, some(2*time.Second), some(2*time.Second))
			s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
				time.Sleep(some(2 * time.Second))
				defer time.Sleep(some(2 * time.Second))
				return s.Repository.Renew(ctx, grant, ttl)
			}
			lock := take(t, locker, "reports", "ann", 1+some(5*time.Second))
			isWithin(t, s, lock)
			for range 3 {
				if _, err := lock.Renew(t.Context(), 1+some(5*time.Second)); err != nil {
					t.Fatal(err)
				}
				isWithin(t, s, lock)
			}
		}
	})
}

// Stores keep microseconds, clocks of hosts say nanoseconds.
func TestM7TheLocalDeadlineNeverLiesBehindTheStoresBelowAMicrosecond(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		time.Sleep(999)
		lock := take(t, locker, "reports", "ann", time.Second)
		isWithin(t, s, lock)
		time.Sleep(2_998)
		renews(t, lock, time.Second, true)
		isWithin(t, s, lock)
		time.Sleep(time.Second - 997)
		take(t, locker, "reports", "bob", time.Second)
		remains(t, lock, 0)
	})
}

func TestM7ADoubtNeverLiesBehindTheStoresDeadlineBelowAMicrosecond(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Minute)
		time.Sleep(999)
		s.renew = func(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
			_, err := s.Repository.Renew(ctx, grant, ttl)
			return domain.Verdict{}, domain.DatabaseError(errors.Join(err, errDown))
		}
		_, err := lock.Renew(t.Context(), time.Second)
		is(t, err, errDown)
		isWithin(t, s, lock)
	})
}

// isWithin fails when the holder counts on a time that the store may give to somebody else.
func isWithin(t *testing.T, s *store, lock *Lock) {
	t.Helper()
	row, _ := stands(t, s, lock.Name())
	held := max(0, time.Until(row.Deadline().Time()))
	if left := lock.Remaining(); left > held {
		t.Fatalf("%v remains, but the store holds the lock only for %v", left, held)
	}
}
