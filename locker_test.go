package namedlock

import (
	"context"
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
	_, ofRelease := lock.Release(t.Context())
	errs := cancellable(t.Context(), locker, lock)
	errs["Release"] = ofRelease
	for operation, err := range errs {
		if !errors.Is(err, ErrClosed) || !errors.Is(err, ErrDatabase) {
			t.Errorf("%s after Close: %v", operation, err)
		}
	}
}

func TestEverythingButAReleaseEndsWithItsContext(t *testing.T) {
	s := newStore()
	locker := New(s)
	lock := take(t, locker, "reports", "ann", time.Hour)
	before, _ := stands(t, s, "reports")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for operation, err := range cancellable(ctx, locker, lock) {
		if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrDatabase) {
			t.Errorf("%s with a context that has ended: %v", operation, err)
		}
	}
	if after, _ := stands(t, s, "reports"); after != before {
		t.Errorf("the row was %+v and is %+v", before, after)
	}
}

// cancellable calls each operation whose context may end it, and returns its error.
func cancellable(ctx context.Context, locker *Locker, lock *Lock) map[string]error {
	_, _, ofTry := locker.TryLock(ctx, lock.Name(), "bob", time.Hour)
	_, ofRenew := lock.Renew(ctx, time.Minute)
	_, _, ofFind := locker.Find(ctx, lock.Name())
	_, ofBreak := locker.Break(ctx, lock.Name(), lock.Token())
	_, ofPurge := locker.Purge(ctx, 0)
	return map[string]error{
		"TryLock": ofTry, "Renew": ofRenew, "Find": ofFind, "Break": ofBreak, "Purge": ofPurge,
		"List": listed(locker.List(ctx, "")).err,
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
