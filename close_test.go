package namedlock

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

func TestCloseWaitsForWhatIsBeingTakenBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		var order []string
		watch(s, func(int) (bool, error) {
			time.Sleep(3 * time.Second)
			order = append(order, "withdrawn")
			return true, nil
		})
		s.shut = func() error { order = append(order, "closed"); return nil }
		fails(t, locker)
		began := time.Now()
		shut(t, s, locker)
		if lasted := time.Since(began); lasted != 3*time.Second || !slices.Equal(order, []string{"withdrawn", "closed"}) {
			t.Errorf("after %v the order is %q", lasted, order)
		}
	})
}

func TestCloseLasts5sAtMostHoweverManyFailed(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		watch(s, down)
		for range 100 {
			fails(t, locker)
		}
		began := time.Now()
		shut(t, s, locker)
		if lasted := time.Since(began); lasted > 5*time.Second {
			t.Errorf("closing took %v", lasted)
		}
	})
}

// The store is closed by then, and nobody would wait for it.
func TestNothingIsTakenBackAfterClose(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		w := watch(s, nothing)
		s.acquire = func(context.Context, domain.Claim) (domain.Verdict, error) {
			time.Sleep(time.Second)
			return domain.Verdict{}, domain.DatabaseError(errDown)
		}
		go fails(t, locker)
		synctest.Wait()
		shut(t, s, locker)
		time.Sleep(time.Minute)
		if at := w.looks(); len(at) != 0 {
			t.Errorf("looks came at %v, after Close", at)
		}
	})
}

// A repository that closes while it is asked says so, and is left alone.
func TestAClosedStoreIsNotAskedAgain(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		w := watch(s, func(int) (bool, error) { return false, domain.ErrClosed })
		fails(t, locker)
		time.Sleep(time.Minute)
		if at := w.looks(); len(at) != 1 {
			t.Errorf("looks came at %v, want one", at)
		}
	})
}
