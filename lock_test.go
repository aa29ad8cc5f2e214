package namedlock

import (
	"sync"
	"testing"
	"time"
)

func TestALockTellsWhatItIsOf(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, " Reports/🔒", "ann", 30*time.Second)
		row, _ := stands(t, s, " Reports/🔒")
		if lock.Name() != " Reports/🔒" || lock.Owner() != "ann" || lock.Token() != row.Token() {
			t.Errorf("got %q, %q, %d", lock.Name(), lock.Owner(), lock.Token())
		}
		if want := time.Now().Add(30 * time.Second); !lock.Deadline().Equal(want) || lock.Deadline().Location() != time.UTC {
			t.Errorf("deadline is %v, want %v in UTC", lock.Deadline(), want)
		}
	})
}

func TestRemainingRunsDownToZeroAtTheDeadline(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		remains(t, lock, 30*time.Second)
		time.Sleep(10 * time.Second)
		remains(t, lock, 20*time.Second)
		time.Sleep(20*time.Second - time.Microsecond)
		remains(t, lock, time.Microsecond)
		time.Sleep(time.Microsecond)
		remains(t, lock, 0)
		time.Sleep(time.Hour)
		remains(t, lock, 0)
	})
}

// Clocks of tests often begin in the year 1.
func TestAStoreWhoseClockStandsBefore1970GivesLocks(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.ahead = -1000 * 365 / 10 * 24 * time.Hour
		take(t, locker, "reports", "ann", 30*time.Second)
		lose(t, locker, "reports", "bob")
	})
}

func TestALockIsSafeForConcurrentUse(t *testing.T) {
	locker := New(newStore())
	lock := take(t, locker, "reports", "ann", time.Hour)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 200 {
				renews(t, lock, time.Hour+time.Duration(i)*time.Second, true)
				if lock.Remaining() <= 0 || lock.Deadline().IsZero() || lock.Token() != 1 {
					t.Error("the lock lost itself")
				}
			}
		})
	}
	all.Wait()
	releases(t, lock, true)
	remains(t, lock, 0)
}
