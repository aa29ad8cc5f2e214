package namedlock

import (
	"errors"
	"sync"
	"testing"
	"time"
)

func TestNewPanicsWithoutARepository(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New(nil) returned")
		}
	}()
	New(nil)
}

func TestNewAsksTheStoreNothing(t *testing.T) {
	s := newStore()
	New(s)
	if got := s.asked.Load(); got != 0 {
		t.Errorf("the store was asked %d times", got)
	}
}

func TestL11EverythingFailsAfterClose(t *testing.T) {
	locker := New(newStore())
	lock := take(t, locker, "reports", "ann", time.Hour)
	shut(t, nil, locker)

	_, _, ofTry := locker.TryLock(t.Context(), "reports", "ann", time.Hour)
	_, ofRenew := lock.Renew(t.Context(), time.Hour)
	_, ofRelease := lock.Release(t.Context())
	_, _, ofFind := locker.Find(t.Context(), "reports")
	_, ofBreak := locker.Break(t.Context(), "reports", lock.Token())
	_, ofPurge := locker.Purge(t.Context(), 0)
	for operation, err := range map[string]error{
		"TryLock": ofTry, "Renew": ofRenew, "Release": ofRelease, "Find": ofFind, "Break": ofBreak, "Purge": ofPurge,
		"List": listed(locker.List(t.Context(), "")).err,
	} {
		if !errors.Is(err, ErrClosed) || !errors.Is(err, ErrDatabase) {
			t.Errorf("%s after Close: %v", operation, err)
		}
	}
}

func TestL11ClosingTwiceIsFine(t *testing.T) {
	locker := New(newStore())
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { shut(t, nil, locker) })
	}
	all.Wait()
	shut(t, nil, locker)
}

func TestCloseTellsWhatTheRepositorySays(t *testing.T) {
	s := newStore()
	s.shut = func() error { return errDown }
	is(t, New(s).Close(), errDown)
}

func TestLocksOutliveTheLockerThatGaveThem(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		s.shut = func() error { return nil } // what it was given stays open
		shut(t, s, locker)
		lose(t, New(s), "reports", "bob")
		remains(t, lock, 30*time.Second)
	})
}

func TestProvideLockerClosesWhatItMade(t *testing.T) {
	s := newStore()
	locker, cleanUp := ProvideLocker(s)
	take(t, locker, "reports", "ann", time.Hour)
	cleanUp()
	cleanUp()
	_, _, err := locker.TryLock(t.Context(), "reports", "ann", time.Hour)
	is(t, err, ErrClosed)
}
