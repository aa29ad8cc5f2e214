package domain_test

import (
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestAnInstantIsCutToTheMicrosecond(t *testing.T) {
	tests := map[string]struct {
		reading time.Time
		want    domain.Instant
	}{
		"1970":                               {time.Unix(0, 0), 0},
		"the last nanosecond of a step":      {time.Unix(1, 1_999), 1_000_001},
		"the first nanosecond of a step":     {time.Unix(1, 2_000), 1_000_002},
		"before 1970 it is cut downwards":    {time.Unix(0, -1), -1},
		"before 1970, on a step":             {time.Unix(0, -1_000), -1},
		"before 1970, just below a step":     {time.Unix(0, -1_001), -2},
		"the year 1, where a zero clock is":  {time.Time{}, -62_135_596_800_000_000},
		"another zone is the same instant":   {time.Unix(1, 0).In(time.FixedZone("", 3600)), 1_000_000},
		"the last year that can be kept":     {time.UnixMicro(math.MaxInt64), math.MaxInt64},
		"the first year that can be kept":    {time.UnixMicro(math.MinInt64), math.MinInt64},
		"a second before 1970 and a half of": {time.Unix(-1, 500_000_700), -500_000},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			if got := domain.InstantOf(test.reading); got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func TestAnInstantShowsItselfInUTC(t *testing.T) {
	for _, i := range []domain.Instant{first, -1, 0, took, last} {
		shown := i.Time()
		if shown.Location() != time.UTC || domain.InstantOf(shown) != i || i.Micros() != int64(i) {
			t.Errorf("%d shows itself as %v and %d µs", i, shown, i.Micros())
		}
	}
}

func TestAfterNeverWraps(t *testing.T) {
	tests := []struct {
		from domain.Instant
		ttl  time.Duration
		want domain.Instant
	}{
		{0, time.Second, 1_000_000},
		{-1, time.Microsecond, 0},
		{last - 1, time.Microsecond, last},
		{last - 1, 2 * time.Microsecond, last},
		{last, 1, last},
		{last, math.MaxInt64, last},
		{first, math.MaxInt64, first + 9_223_372_036_854_776},
		{last - 9_223_372_036_854_776, math.MaxInt64, last},
		{last - 9_223_372_036_854_775, math.MaxInt64, last},
	}
	for _, test := range tests {
		if got := test.from.After(ttl(t, test.ttl)); got != test.want {
			t.Errorf("%v after %d is %d, want %d", test.ttl, test.from, got, test.want)
		}
	}
}

func TestAgoNeverWraps(t *testing.T) {
	tests := []struct {
		from domain.Instant
		age  time.Duration
		want domain.Instant
	}{
		{0, time.Second, -1_000_000},
		{took, 0, took},
		{first, 0, first},
		{first + 1, time.Microsecond, first},
		{first + 1, 2 * time.Microsecond, first},
		{first, math.MaxInt64, first},
		{last, math.MaxInt64, last - 9_223_372_036_854_776},
	}
	for _, test := range tests {
		if got := test.from.Ago(age(t, test.age)); got != test.want {
			t.Errorf("%v before %d is %d, want %d", test.age, test.from, got, test.want)
		}
	}
}

func TestUntilIsCutToWhatADurationHolds(t *testing.T) {
	tests := []struct {
		from, to domain.Instant
		want     time.Duration
	}{
		{took, deadline, 30 * time.Second},
		{deadline, took, -30 * time.Second},
		{took, took, 0},
		{-1, 0, time.Microsecond},
		{0, math.MaxInt64 / 1000, math.MaxInt64 / 1000 * time.Microsecond},
		{0, math.MaxInt64/1000 + 1, math.MaxInt64},
		{0, last, math.MaxInt64},
		{first, last, math.MaxInt64},
		{last, first, math.MinInt64},
	}
	for _, test := range tests {
		if got := test.from.Until(test.to); got != test.want {
			t.Errorf("from %d to %d it is %v, want %v", test.from, test.to, got, test.want)
		}
	}
}

func TestBeforeIsStrict(t *testing.T) {
	if !took.Before(took+1) || took.Before(took) || took.Before(took-1) || !first.Before(last) {
		t.Error("an instant is before exactly those that are later")
	}
}
