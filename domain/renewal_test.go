package domain_test

import (
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestRenewSetsAFullWindowFromNow(t *testing.T) {
	tests := map[string]struct {
		ttl          time.Duration
		now          domain.Instant
		wantDeadline domain.Instant
	}{
		"one microsecond before the deadline":                 {time.Minute, deadline - 1, deadline - 1 + 60_000_000},
		"at the instant of the grant, the same window":        {30 * time.Second, took, deadline},
		"it is not added to what is left":                     {time.Minute, took, took + 60_000_000},
		"a shorter window brings the deadline nearer":         {time.Second, took, took + 1_000_000},
		"less than a microsecond counts as one":               {1, took, took + 1},
		"the longest Duration":                                {math.MaxInt64, took, took + math.MaxInt64/1000 + 1},
		"a clock that went back counts from what it now says": {time.Second, took - 1_000_000, took},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := domain.Renew(standing(), anns, ttl(t, test.ttl), test.now)
			want := domain.Verdict{Granted: true, Lock: until(test.wantDeadline), At: test.now}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestRenewIsRefused(t *testing.T) {
	tests := map[string]struct {
		standing domain.Lock
		grant    domain.Grant
		now      domain.Instant
	}{
		"at the deadline, though nobody took the name":    {standing(), anns, deadline},
		"after the deadline, though nobody took the name": {standing(), anns, deadline + 1},
		"when the row is gone":                            {domain.Lock{}, anns, took},
		"when the row is gone, before 1970":               {domain.Lock{}, domain.Grant{}, -1},
		"to another owner":                                {standing(), domain.Grant{Name: report, Owner: bob, Token: 7}, took},
		"to an earlier grant of the same owner":           {standing(), domain.Grant{Name: report, Owner: ann, Token: 6}, took},
		"to a later grant of the same owner":              {standing(), domain.Grant{Name: report, Owner: ann, Token: 8}, took},
		"to a grant of another name":                      {standing(), domain.Grant{Name: other, Owner: ann, Token: 7}, took},
		"to nobody":                                       {standing(), domain.Grant{}, took},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if got := domain.Renew(test.standing, test.grant, ttl(t, time.Hour), test.now); got != (domain.Verdict{}) {
				t.Errorf("got %+v, want the zero Verdict", got)
			}
		})
	}
}

func TestRenewNeverWraps(t *testing.T) {
	lock := until(last)
	for _, now := range []domain.Instant{0, took, last - 1} {
		verdict := domain.Renew(lock, anns, ttl(t, math.MaxInt64), now)
		if !verdict.Granted || !verdict.Lock.LiveAt(now) {
			t.Errorf("at %d: the renewed lock ends at %d", now, verdict.Lock.Deadline())
		}
	}
}
