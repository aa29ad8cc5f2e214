package domain_test

import (
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestALockIsLiveUntilItsDeadlineAndNotAtIt(t *testing.T) {
	for _, deadline := range []domain.Instant{deadline, 1, 0, -1, first + 1, last - 1} {
		lock := until(deadline)
		for step, live := range map[domain.Instant]bool{-1: true, 0: false, 1: false} {
			if got := lock.LiveAt(deadline + step); got != live {
				t.Errorf("deadline %d: live at %+d µs is %v, want %v", deadline, step, got, live)
			}
		}
	}
}

func TestALockIsLiveAtTheExtremesOfTime(t *testing.T) {
	if !until(last).LiveAt(first) {
		t.Error("the longest lock is not live at the first instant")
	}
	if until(last).LiveAt(last) {
		t.Error("the longest lock is live at its own deadline")
	}
	if until(first).LiveAt(first) {
		t.Error("a lock that ended at the first instant is live")
	}
}

// A clock may say anything: a test's often begins in the year 1.
func TestNoLockIsNeverLive(t *testing.T) {
	for _, now := range []domain.Instant{first, domain.InstantOf(time.Time{}), -1, 0, 1, took, last} {
		if (domain.Lock{}).LiveAt(now) {
			t.Errorf("the zero Lock is live at %d", now)
		}
	}
}

// Whatever the instant, either the holder may renew or a rival may acquire: never both, never neither.
func TestAtEveryInstantEitherTheHolderOrTheRivalSucceeds(t *testing.T) {
	claim := domain.Claim{ID: 1, Name: report, Owner: bob, TTL: ttl(t, time.Second)}
	for now := deadline - 3; now <= deadline+3; now++ {
		renewed := domain.Renew(standing(), anns, ttl(t, time.Second), now).Granted
		acquired := domain.Acquire(standing(), claim, 8, now).Granted
		if renewed == acquired {
			t.Errorf("at %+d µs: the holder's renewal is %v and the rival's acquire is %v", now-deadline, renewed, acquired)
		}
	}
}

func TestAPurgeTakesWhatLapsedLongEnoughAgo(t *testing.T) {
	tests := map[string]struct {
		age  time.Duration
		now  domain.Instant
		want bool
	}{
		"no age, one microsecond before the deadline": {0, deadline - 1, false},
		"no age, at the deadline":                     {0, deadline, true},
		"no age, after the deadline":                  {0, deadline + 1, true},
		"10 s, one microsecond too early":             {10 * time.Second, deadline + 10_000_000 - 1, false},
		"10 s, at the age":                            {10 * time.Second, deadline + 10_000_000, true},
		"10 s, after the age":                         {10 * time.Second, deadline + 10_000_000 + 1, true},
		"10 s, while it is live":                      {10 * time.Second, took, false},
		"an age below a microsecond counts as one":    {1, deadline, false},
		"the longest age":                             {math.MaxInt64, deadline + 1, false},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if got := domain.Purges(standing(), age(t, test.age), test.now); got != test.want {
				t.Errorf("purged is %v, want %v", got, test.want)
			}
		})
	}
}

func TestAPurgeNeverTakesALiveLock(t *testing.T) {
	for _, d := range []time.Duration{0, 1, time.Hour, math.MaxInt64} {
		for _, now := range []domain.Instant{first, first + 1, -1, 0, took, last - 1} {
			if lock := until(now + 1); domain.Purges(lock, age(t, d), now) {
				t.Errorf("at %d a purge of age %v takes a lock that is live for one more microsecond", now, d)
			}
		}
	}
}
