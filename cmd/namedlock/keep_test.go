package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/memory"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

const (
	keepName = "kept"
	keepTTL  = 30 * time.Second
	// The promises in figures, for this ttl: a command has five seconds to end by itself, two and a half before the end.
	keepNotice = 7500 * time.Millisecond
	keepGrace  = 5 * time.Second
)

// moody is a store whose renewals go as the test wants them to.
type moody struct {
	ports.Repository
	renew func(ctx context.Context, really func() (domain.Verdict, error)) (domain.Verdict, error)
}

func (m moody) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	return m.renew(ctx, func() (domain.Verdict, error) { return m.Repository.Renew(ctx, grant, ttl) })
}

var errDown = errors.New("the store is down")

// keeping is a lock that is being kept in a bubble of synctest.
type keeping struct {
	locker *namedlock.Locker
	lock   *namedlock.Lock
	lost   chan *loss
	stop   context.CancelFunc
}

// keep takes a lock and keeps it.
func keep(t *testing.T, repo ports.Repository) keeping {
	t.Helper()
	locker := namedlock.New(repo)
	lock, _, err := locker.TryLock(t.Context(), keepName, "us", keepTTL)
	if err != nil || lock == nil {
		t.Fatalf("the lock was not granted: %v, %v", lock, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	k := keeping{locker: locker, lock: lock, lost: make(chan *loss, 1), stop: stop}
	go func() { k.lost <- keeper{lock: lock, ttl: keepTTL}.keep(ctx) }()
	return k
}

// isFree reports whether a rival would get the name.
func (k keeping) isFree(t *testing.T) bool {
	t.Helper()
	entry, found, err := k.locker.Find(t.Context(), keepName)
	if err != nil {
		t.Fatal(err)
	}
	return !found || entry.Lapsed()
}

func TestKeeperHoldsALockForManyTimesItsTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := keep(t, memory.New(nil))
		for range 1000 {
			time.Sleep(keepTTL / 10)
			if k.isFree(t) {
				t.Fatal("a rival could have got the lock")
			}
		}
		k.stop()
		if lost := <-k.lost; lost != nil {
			t.Fatalf("lost: %v", lost)
		}
	})
}

func TestKeeperRenewsWhenAThirdOfTheTTLIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var renewals atomic.Int32
		k := keep(t, moody{memory.New(nil), func(_ context.Context, really func() (domain.Verdict, error)) (domain.Verdict, error) {
			renewals.Add(1)
			return really()
		}})
		time.Sleep(10*keepTTL + time.Second)
		k.stop()
		if lost := <-k.lost; lost != nil {
			t.Errorf("lost: %v", lost)
		}
		if n := renewals.Load(); n != 30 {
			t.Fatalf("%d renewals in ten times the ttl, want 30", n)
		}
	})
}

func TestKeeperTellsOfARefusalAtTheNextRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := keep(t, memory.New(nil))
		time.Sleep(keepTTL / 2)
		if broken, err := k.locker.Break(t.Context(), keepName, k.lock.Token()); !broken || err != nil {
			t.Fatal(broken, err)
		}
		began := time.Now()
		lost := <-k.lost
		if after := time.Since(began); after > keepTTL/3 {
			t.Errorf("it took %v to find out", after)
		}
		if lost.grace != keepGrace {
			t.Errorf("a grace of %v, want %v, although more of the window was left", lost.grace, keepGrace)
		}
	})
}

func TestKeeperGivesUpInTimeWhenTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts atomic.Int32
		k := keep(t, moody{memory.New(nil), func(context.Context, func() (domain.Verdict, error)) (domain.Verdict, error) {
			attempts.Add(1)
			return domain.Verdict{}, errDown
		}})
		checkLossInTime(t, k, errDown)
		if n := attempts.Load(); n < 20 {
			t.Errorf("only %d attempts", n)
		}
	})
}

func TestKeeperAsksAgainWhenAnAnswerDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts atomic.Int32
		k := keep(t, moody{memory.New(nil), func(ctx context.Context, _ func() (domain.Verdict, error)) (domain.Verdict, error) {
			attempts.Add(1)
			<-ctx.Done()
			return domain.Verdict{}, ctx.Err()
		}})
		checkLossInTime(t, k, context.DeadlineExceeded)
		if n := attempts.Load(); n != 3 {
			t.Errorf("%d attempts, want 3", n)
		}
	})
}

func TestKeeperGivesUpInTimeWhenARenewalHangsForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		thaw := make(chan struct{})
		k := keep(t, moody{memory.New(nil), func(context.Context, func() (domain.Verdict, error)) (domain.Verdict, error) {
			<-thaw
			return domain.Verdict{}, errDown
		}})
		checkLossInTime(t, k, nil)
		close(thaw)
	})
}

// checkLossInTime waits for the loss of a lock that was never renewed.
func checkLossInTime(t *testing.T, k keeping, cause error) {
	t.Helper()
	end := time.Now().Add(k.lock.Remaining())
	lost := <-k.lost
	if left := time.Until(end); left != keepNotice {
		t.Errorf("told %v before the end, want %v", left, keepNotice)
	}
	if lost.grace != keepGrace {
		t.Errorf("a grace of %v, want %v", lost.grace, keepGrace)
	}
	if k.isFree(t) {
		t.Error("the lock had already lapsed")
	}
	if cause != nil && !errors.Is(lost.reason, cause) {
		t.Errorf("the reason %q does not tell of %q", lost.reason, cause)
	}
}

func TestKeeperOutlivesAShortFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		k := keep(t, moody{memory.New(nil), func(_ context.Context, really func() (domain.Verdict, error)) (domain.Verdict, error) {
			if down := time.Since(began); down < 2*keepTTL/3 {
				return domain.Verdict{}, errDown
			}
			return really()
		}})
		time.Sleep(5 * keepTTL)
		if k.isFree(t) {
			t.Error("the lock lapsed")
		}
		k.stop()
		if lost := <-k.lost; lost != nil {
			t.Errorf("lost: %v", lost)
		}
	})
}

func TestKeeperCatchesUpWhenTheGrantCameLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		repo := slow{memory.New(nil)}
		k := keep(t, repo) // two thirds of the ttl are over when the grant arrives
		time.Sleep(keepTTL)
		if k.isFree(t) {
			t.Error("the lock lapsed")
		}
		k.stop()
		if lost := <-k.lost; lost != nil {
			t.Errorf("lost: %v", lost)
		}
	})
}

// slow is a store whose grants take two thirds of the ttl to arrive.
type slow struct{ ports.Repository }

func (s slow) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	verdict, err := s.Repository.Acquire(ctx, claim)
	time.Sleep(keepTTL * 2 / 3)
	return verdict, err
}
