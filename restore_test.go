package namedlock

import (
	"testing"
	"time"
)

func restore(t *testing.T, locker *Locker, name, owner string, token Token) *Lock {
	t.Helper()
	lock, err := locker.Restore(name, owner, token, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

func TestARestoredLockIsRenewedKeptAndReleased(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		taken := take(t, locker, "reports", "ann", time.Minute)
		lock := restore(t, New(s), "reports", "ann", taken.Token())
		if lock.Name() != "reports" || lock.Owner() != "ann" || lock.Token() != taken.Token() || !lock.Shared() {
			t.Errorf("restored %+v", lock)
		}
		remains(t, lock, 0)
		time.Sleep(30 * time.Second)
		renews(t, lock, time.Minute, true)
		if row, _ := stands(t, s, "reports"); !lock.Deadline().Equal(row.Deadline().Time()) {
			t.Errorf("the deadline is %v, want %v", lock.Deadline(), row.Deadline())
		}
		working, stop := lock.Keep(t.Context())
		time.Sleep(time.Hour)
		if err := working.Err(); err != nil {
			t.Errorf("it was not kept: %v", err)
		}
		stop()
		releases(t, lock, true)
		releases(t, taken, false)
	})
}

func TestM1ARestoredLockTouchesNothingThatCameAfterIt(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		first := take(t, locker, "reports", "ann", time.Minute)
		releases(t, first, true)
		second := take(t, locker, "reports", "ann", time.Minute)
		for _, stale := range []*Lock{
			restore(t, locker, "reports", "ann", first.Token()),
			restore(t, locker, "reports", "bob", second.Token()),
			restore(t, locker, "other", "ann", second.Token()),
			restore(t, locker, "reports", "ann", 0),
			restore(t, locker, "reports", "ann", -1),
		} {
			renews(t, stale, time.Hour, false)
			releases(t, stale, false)
		}
		remains(t, second, time.Minute)
		releases(t, second, true)
	})
}

func TestRestoreChecksItsInput(t *testing.T) {
	locker := New(newStore())
	for _, test := range []struct {
		name, owner string
		ttl         time.Duration
		want        error
	}{
		{"", "ann", time.Minute, ErrInvalidName},
		{"namedlock:x", "ann", time.Minute, ErrReservedName},
		{"reports", " ", time.Minute, ErrInvalidName},
		{"reports", "ann", 0, ErrInvalidTTL},
	} {
		_, err := locker.Restore(test.name, test.owner, 1, test.ttl)
		is(t, err, test.want)
	}
}

func TestL5ALockIsSharedWhenTheGrantStoodBefore(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		if first := take(t, locker, "reports", "ann", time.Minute); first.Shared() {
			t.Error("a new grant is called shared")
		}
		if again := take(t, locker, "reports", "ann", time.Minute); !again.Shared() {
			t.Error("a grant that stood is called new")
		}
		waited, err := locker.Lock(t.Context(), "reports", "ann", time.Minute)
		if err != nil || !waited.Shared() {
			t.Errorf("a grant that stood is called new: %v", err)
		}
		time.Sleep(time.Minute)
		if after := take(t, locker, "reports", "ann", time.Minute); after.Shared() {
			t.Error("a grant after a lapse is called shared")
		}
	})
}
