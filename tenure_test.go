package namedlock

import (
	"math"
	"testing"
	"time"
	"unsafe"
)

func TestElapsedIsWhatTheFasterClockSays(t *testing.T) {
	tests := map[string]struct{ monotonic, wall, want time.Duration }{
		"both clocks agree":                          {time.Second, time.Second, time.Second},
		"the machine slept":                          {time.Second, time.Hour, time.Hour},
		"the wall clock was set forward":             {0, time.Hour, time.Hour},
		"the wall clock was set back":                {time.Minute, -time.Hour, time.Minute},
		"the wall clock is a little slower":          {time.Minute, 59 * time.Second, time.Minute},
		"no time has passed":                         {0, 0, 0},
		"the wall clock was set back in the instant": {0, -time.Hour, 0},
		"both clocks went back":                      {-time.Second, -time.Hour, 0},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			since := time.Now()
			if got := elapsed(since, reading(t, since, test.monotonic, test.wall)); got != test.want {
				t.Errorf("elapsed is %v, want %v", got, test.want)
			}
		})
	}
}

func TestElapsedWithoutAMonotonicReading(t *testing.T) {
	since := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	if got := elapsed(since, since.Add(time.Minute)); got != time.Minute {
		t.Errorf("elapsed is %v, want a minute", got)
	}
	if got := elapsed(since, since.Add(-time.Minute)); got != 0 {
		t.Errorf("elapsed is %v on a clock that went back, want nothing", got)
	}
}

func TestATenureIsOverAtItsEnd(t *testing.T) {
	since := time.Now()
	tests := map[string]struct{ window, passed, want time.Duration }{
		"at its beginning":       {time.Minute, 0, time.Minute},
		"a nanosecond before":    {time.Minute, time.Minute - 1, 1},
		"at its end":             {time.Minute, time.Minute, 0},
		"after its end":          {time.Minute, time.Minute + 1, 0},
		"long after its end":     {time.Minute, math.MaxInt64, 0},
		"before its beginning":   {time.Minute, -time.Second, time.Minute},
		"a window that is empty": {0, 0, 0},
		"one that never began":   {-time.Minute, 0, 0},
		"the longest":            {math.MaxInt64, time.Hour, math.MaxInt64 - time.Hour},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := tenure{since: since, window: test.window}.left(since.Add(test.passed))
			if got != test.want {
				t.Errorf("%v is left, want %v", got, test.want)
			}
		})
	}
}

func TestTheZeroTenureIsOver(t *testing.T) {
	if got := (tenure{}).left(time.Now()); got != 0 {
		t.Errorf("%v is left, want nothing", got)
	}
}

// The monotonic clock stands still while a machine sleeps.
func TestM7ALockEndsThoughTheMachineSlept(t *testing.T) {
	now := wholeMicrosecond()
	lock := takeByClock(t, func() time.Time { return now }, 30*time.Minute)
	now = reading(t, now, time.Second, time.Hour)
	remains(t, lock, 0)
}

func TestM7ALockEndsWhicheverClockIsFaster(t *testing.T) {
	began := wholeMicrosecond()
	now := began
	lock := takeByClock(t, func() time.Time { return now }, time.Minute)
	now = reading(t, began, 10*time.Second, 20*time.Second)
	remains(t, lock, 40*time.Second)
	now = reading(t, began, 50*time.Second, 20*time.Second)
	remains(t, lock, 10*time.Second)
}

func TestM7AWallClockSetBackProlongsNothing(t *testing.T) {
	began := wholeMicrosecond()
	now := began
	lock := takeByClock(t, func() time.Time { return now }, time.Minute)
	now = reading(t, began, 59*time.Second, -time.Hour)
	remains(t, lock, time.Second)
	now = reading(t, began, time.Minute, -time.Hour)
	remains(t, lock, 0)
}

func TestM7ARenewalCountsFromTheClocksThatItBegan(t *testing.T) {
	began := wholeMicrosecond()
	now := began
	lock := takeByClock(t, func() time.Time { return now }, time.Minute)
	now = reading(t, began, 10*time.Second, -time.Hour)
	renews(t, lock, time.Hour, true)
	remains(t, lock, time.Hour)
	now = reading(t, began, 10*time.Second+time.Minute, -time.Hour+2*time.Minute)
	remains(t, lock, 58*time.Minute)
}

// takeByClock returns a lock whose holder reads its time from now. The store reads its own.
func takeByClock(t *testing.T, now func() time.Time, ttl time.Duration) *Lock {
	t.Helper()
	locker := New(newStore())
	locker.now = now
	return take(t, locker, "reports", "ann", ttl)
}

// wholeMicrosecond returns a reading of both clocks at a step of those that stores keep.
func wholeMicrosecond() time.Time {
	now := time.Now()
	return now.Add(-time.Duration(now.Nanosecond() % int(time.Microsecond)))
}

// reading returns what the two clocks of a machine say together when one has gone on by monotonic since a reading, and the
// other by wall. Package time moves both at once and has no way to set them apart: its Time keeps the wall clock in the
// first word and the monotonic one in the second, so the words of two readings are put together. Should that change, the
// checks at the end say so.
func reading(t *testing.T, since time.Time, monotonic, wall time.Duration) time.Time {
	t.Helper()
	type words struct {
		wall uint64
		ext  int64
		loc  *time.Location
	}
	mixed, other := since.Add(wall), since.Add(monotonic)
	(*words)(unsafe.Pointer(&mixed)).ext = (*words)(unsafe.Pointer(&other)).ext
	if mixed.Sub(since) != monotonic || mixed.Round(0).Sub(since.Round(0)) != wall {
		t.Fatal("package time does not keep a reading as this test believes")
	}
	return mixed
}
