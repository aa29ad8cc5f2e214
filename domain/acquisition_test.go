package domain_test

import (
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestAcquireGivesALockThatNobodyHolds(t *testing.T) {
	tests := map[string]struct {
		standing domain.Lock
		now      domain.Instant
	}{
		"when there is no row":          {domain.Lock{}, took},
		"at the deadline of another":    {standing(), deadline},
		"after the deadline of another": {standing(), deadline + 1},
	}
	for title, test := range tests {
		for _, owner := range []domain.Owner{ann, bob} {
			t.Run(title+" to "+owner.String(), func(t *testing.T) {
				claim := domain.Claim{ID: 80, Name: report, Owner: owner, TTL: ttl(t, time.Minute)}
				got := domain.Acquire(test.standing, claim, 8, test.now)
				grant := domain.Grant{Name: report, Owner: owner, Token: 8}
				want := domain.Verdict{Granted: true, Lock: domain.Restore(grant, 80, test.now, test.now+60_000_000), At: test.now}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			})
		}
	}
}

func TestAcquireOfALiveLock(t *testing.T) {
	for _, now := range []domain.Instant{took - 1, took, deadline - 1} {
		for owner, granted := range map[domain.Owner]bool{ann: true, bob: false} {
			claim := domain.Claim{ID: 80, Name: report, Owner: owner, TTL: ttl(t, time.Hour)}
			got := domain.Acquire(standing(), claim, 8, now)
			want := domain.Verdict{Granted: granted, Lock: standing(), At: now}
			if got != want {
				t.Errorf("%v at %+d µs: got %+v, want the row as it stands, granted %v", owner, now-deadline, got, granted)
			}
		}
	}
}

func TestAcquireComparesOwnersByteForByte(t *testing.T) {
	for _, text := range []string{"Ann", "ann ", "a\u0308nn", "ann\u200b"} {
		claim := domain.Claim{ID: 80, Name: report, Owner: domain.RestoreOwner(text), TTL: ttl(t, time.Hour)}
		if domain.Acquire(standing(), claim, 8, took).Granted {
			t.Errorf("%q was taken for %q", text, ann)
		}
	}
}

func TestAcquireWithoutARowWhateverTheClockSays(t *testing.T) {
	claim := domain.Claim{ID: 80, Name: report, Owner: ann, TTL: ttl(t, time.Second)}
	for _, now := range []domain.Instant{first, domain.InstantOf(time.Time{}), -1, 0, 1, last - 1} {
		verdict := domain.Acquire(domain.Lock{}, claim, 1, now)
		if !verdict.Granted || verdict.Lock.Grant() != (domain.Grant{Name: report, Owner: ann, Token: 1}) {
			t.Errorf("at %d: got %+v, want a grant", now, verdict)
		}
	}
}

func TestAcquireForTheLongestDurationIsHeld(t *testing.T) {
	claim := domain.Claim{ID: 80, Name: report, Owner: ann, TTL: ttl(t, math.MaxInt64)}
	for _, now := range []domain.Instant{first, -1, 0, took, last - 1} {
		verdict := domain.Acquire(domain.Lock{}, claim, 8, now)
		if !verdict.Lock.LiveAt(now) {
			t.Errorf("at %d: the lock ends at %d, before it began", now, verdict.Lock.Deadline())
		}
	}
}
