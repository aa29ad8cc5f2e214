package domain_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestATTLIsRoundedUpToMicroseconds(t *testing.T) {
	for d, want := range map[time.Duration]int64{
		1:                   1,
		999:                 1,
		1000:                1,
		1001:                2,
		1999:                2,
		2000:                2,
		time.Millisecond:    1_000,
		time.Second + 1:     1_000_001,
		math.MaxInt64 - 807: 9_223_372_036_854_775,
		math.MaxInt64 - 806: 9_223_372_036_854_776,
		math.MaxInt64:       9_223_372_036_854_776,
	} {
		window, err := domain.NewTTL(d)
		if err != nil || window.Micros() != want {
			t.Errorf("NewTTL(%d ns) is %d µs, %v; want %d µs", d, window.Micros(), err, want)
		}
	}
}

func TestATTLIsNeverShorterThanAsked(t *testing.T) {
	for _, d := range []time.Duration{1, 999, 1000, 1001, time.Hour, math.MaxInt64 - 807, math.MaxInt64 - 1, math.MaxInt64} {
		if got := ttl(t, d).Duration(); got < d || got-d >= time.Microsecond {
			t.Errorf("of %d ns the TTL keeps %d ns", d, got)
		}
	}
}

func TestADurationThatIsNotPositiveIsRefused(t *testing.T) {
	for _, d := range []time.Duration{0, -1, -time.Microsecond, -time.Hour, math.MinInt64} {
		window, err := domain.NewTTL(d)
		if !errors.Is(err, domain.ErrInvalidTTL) || !errors.Is(err, domain.ErrDatabase) {
			t.Errorf("NewTTL(%d): %v is not both an ErrInvalidTTL and an ErrDatabase", d, err)
		}
		if errors.Is(err, domain.ErrInvalidName) || errors.Is(err, domain.ErrClosed) {
			t.Errorf("NewTTL(%d): %v is of another kind too", d, err)
		}
		if window != (domain.TTL{}) {
			t.Errorf("NewTTL(%d) is %v beside its error", d, window)
		}
	}
}

func TestAnAge(t *testing.T) {
	for d, want := range map[time.Duration]int64{0: 0, 1: 1, 1000: 1, 1001: 2, math.MaxInt64: 9_223_372_036_854_776} {
		if got := age(t, d).Micros(); got != want {
			t.Errorf("NewAge(%d ns) is %d µs, want %d µs", d, got, want)
		}
	}
	for _, d := range []time.Duration{-1, -time.Hour, math.MinInt64} {
		if got, err := domain.NewAge(d); !errors.Is(err, domain.ErrInvalidTTL) || got != (domain.Age{}) {
			t.Errorf("NewAge(%d) is %v, %v; want ErrInvalidTTL", d, got, err)
		}
	}
}
