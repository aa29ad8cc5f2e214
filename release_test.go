package namedlock

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestL8ReleaseIsTrueOnce(t *testing.T) {
	s := newStore()
	locker := New(s)
	lock := take(t, locker, "reports", "ann", time.Hour)
	releases(t, lock, true)
	releases(t, lock, false)
	if _, found := stands(t, s, "reports"); found {
		t.Error("the row is still there")
	}
	take(t, locker, "reports", "bob", time.Hour)
}

func TestL8OfConcurrentReleasesOneIsTrue(t *testing.T) {
	lock := take(t, New(newStore()), "reports", "ann", time.Hour)
	var released atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			ok, err := lock.Release(t.Context())
			if err != nil {
				t.Error(err)
			}
			if ok {
				released.Add(1)
			}
		})
	}
	all.Wait()
	if got := released.Load(); got != 1 {
		t.Errorf("%d releases are true, want one", got)
	}
}

func TestL8ReleaseRemovesALapsedRowThatNobodyTook(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Second)
		time.Sleep(time.Hour)
		releases(t, lock, true)
		if _, found := stands(t, s, "reports"); found {
			t.Error("the row is still there")
		}
	})
}

func TestM1AnOldHandleLeavesItsSuccessorAlone(t *testing.T) {
	for _, successor := range []string{"ann", "bob"} {
		inTime(t, func(t *testing.T, _ *store, locker *Locker) {
			old := take(t, locker, "reports", "ann", time.Second)
			time.Sleep(time.Second)
			lock := take(t, locker, "reports", successor, time.Hour)
			releases(t, old, false)
			renews(t, old, time.Hour, false)
			remains(t, lock, time.Hour)
			renews(t, lock, time.Hour, true)
			releases(t, lock, true)
		})
	}
}

func TestL8TheAnswerComesFromTheStore(t *testing.T) {
	locker := New(newStore())
	lock := take(t, locker, "reports", "ann", time.Hour)
	breaks(t, locker, "reports", lock.Token(), true)
	releases(t, lock, false)
}

func TestM8ReleaseWorksWithAContextThatWasCancelled(t *testing.T) {
	s := newStore()
	lock := take(t, New(s), "reports", "ann", time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if released, err := lock.Release(ctx); !released || err != nil {
		t.Errorf("got %v, %v; want the lock released", released, err)
	}
	if _, found := stands(t, s, "reports"); found {
		t.Error("the row is still there")
	}
}

func TestM8ReleaseWorksWithAContextThatIsCancelledMeanwhile(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		s.release = func(ctx context.Context, grant domain.Grant) (bool, error) {
			if !slept(ctx, time.Second) {
				return false, domain.DatabaseError(ctx.Err())
			}
			return s.Repository.Release(ctx, grant)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if released, err := lock.Release(ctx); !released || err != nil {
			t.Errorf("got %v, %v; want the lock released", released, err)
		}
	})
}

func TestM8ReleaseEndsThoughTheStoreNeverAnswers(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		s.release = func(ctx context.Context, _ domain.Grant) (bool, error) {
			<-ctx.Done()
			return false, domain.DatabaseError(ctx.Err())
		}
		began := time.Now()
		released, err := lock.Release(context.Background())
		is(t, err, ErrDatabase, context.DeadlineExceeded)
		if lasted := time.Since(began); released || lasted != 10*time.Second {
			t.Errorf("got %v after %v, want an error after 10 s", released, lasted)
		}
	})
}

func TestReleasePassesTheValuesOfItsContextOn(t *testing.T) {
	type key struct{}
	s := newStore()
	lock := take(t, New(s), "reports", "ann", time.Hour)
	s.release = func(ctx context.Context, grant domain.Grant) (bool, error) {
		if ctx.Value(key{}) != "value" {
			t.Error("the values of the context are lost")
		}
		return s.Repository.Release(ctx, grant)
	}
	if released, err := lock.Release(context.WithValue(t.Context(), key{}, "value")); !released || err != nil {
		t.Errorf("got %v, %v", released, err)
	}
}

func TestNothingRemainsFromTheMomentOfARelease(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		s.release = func(ctx context.Context, grant domain.Grant) (bool, error) {
			time.Sleep(time.Second)
			return s.Repository.Release(ctx, grant)
		}
		go releases(t, lock, true)
		synctest.Wait()
		remains(t, lock, 0)
		time.Sleep(2 * time.Second)
		remains(t, lock, 0)
	})
}

func TestNothingRemainsAfterAReleaseThatFailed(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		s.goDown()
		released, err := lock.Release(t.Context())
		is(t, err, ErrDatabase, errDown)
		if released {
			t.Error("a store that is down released the lock")
		}
		remains(t, lock, 0)
		s.release = nil
		releases(t, lock, true)
	})
}

// A renewal that was on its way must not bring the lock back.
func TestARenewalOnItsWayDoesNotUndoARelease(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Minute)
		time.Sleep(time.Second)
		s.renew = delaying(s, time.Hour, time.Second)
		go renews(t, lock, time.Hour, true)
		synctest.Wait()
		releases(t, lock, true)
		time.Sleep(2 * time.Second)
		remains(t, lock, 0)
		if _, found := stands(t, s, "reports"); found {
			t.Error("the row is back")
		}
	})
}

func TestL11ReleaseFailsWhenTheLockerIsClosed(t *testing.T) {
	locker := New(newStore())
	lock := take(t, locker, "reports", "ann", time.Hour)
	shut(t, nil, locker)
	_, err := lock.Release(t.Context())
	is(t, err, ErrClosed, ErrDatabase)
}
