package main

import (
	"context"
	"errors"
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
	// The promises in figures, for this ttl: a command has its grace to end by itself, and a second is left for the force.
	keepGrace  = 8 * time.Second
	keepNotice = keepGrace + time.Second
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

// watching is a lease that is being watched in a bubble of synctest.
type watching struct {
	locker *namedlock.Locker
	lock   *namedlock.Lock
	lost   chan *loss
	stop   context.CancelFunc
}

// watch takes a lock, keeps it and watches over it.
func watch(t *testing.T, repo ports.Repository) watching {
	t.Helper()
	troubles := &troubles{}
	locker := namedlock.New(repo, namedlock.WithObserver(troubles))
	lock, _, err := locker.TryLock(t.Context(), keepName, "us", keepTTL)
	if err != nil || lock == nil {
		t.Fatalf("the lock was not granted: %v, %v", lock, err)
	}
	kept, stop := lock.Keep(t.Context())
	w := watching{locker: locker, lock: lock, lost: make(chan *loss, 1), stop: stop}
	go func() { w.lost <- lease{lock, keepTTL, keepGrace, troubles}.watch(kept) }()
	return w
}

// inTime runs a test in a bubble of synctest, and lets what the library does in the background end.
func inTime(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(time.Minute)
		test(t)
	})
}

// isFree reports whether a rival would get the name.
func (w watching) isFree(t *testing.T) bool {
	t.Helper()
	entry, found, err := w.locker.Find(t.Context(), keepName)
	if err != nil {
		t.Fatal(err)
	}
	return !found || entry.Lapsed()
}

func TestALeaseThatIsRenewedIsNotLost(t *testing.T) {
	inTime(t, func(t *testing.T) {
		w := watch(t, memory.New(nil))
		for range 1000 {
			time.Sleep(keepTTL / 10)
			if w.isFree(t) {
				t.Fatal("a rival could have got the lock")
			}
		}
		w.stop()
		if lost := <-w.lost; lost != nil {
			t.Fatalf("lost: %v", lost)
		}
	})
}

func TestARefusalIsToldAtTheNextRenewalWithTheWholeGrace(t *testing.T) {
	inTime(t, func(t *testing.T) {
		w := watch(t, memory.New(nil))
		defer w.stop()
		time.Sleep(keepTTL / 2)
		if broken, err := w.locker.Break(t.Context(), keepName, w.lock.Token()); !broken || err != nil {
			t.Fatal(broken, err)
		}
		began := time.Now()
		lost := <-w.lost
		if after := time.Since(began); after > keepTTL/3 {
			t.Errorf("it took %v to find out", after)
		}
		if lost.grace != keepGrace || !errors.Is(lost.reason, namedlock.ErrTaken) {
			t.Errorf("lost with a grace of %v, because %v", lost.grace, lost.reason)
		}
	})
}

func TestTheGraceIsOverBeforeTheLockIs(t *testing.T) {
	thaw := make(chan struct{})
	defer close(thaw)
	for title, renew := range map[string]func(context.Context, func() (domain.Verdict, error)) (domain.Verdict, error){
		"the store is down": func(context.Context, func() (domain.Verdict, error)) (domain.Verdict, error) {
			return domain.Verdict{}, domain.DatabaseError(errDown)
		},
		"an answer does not come": func(ctx context.Context, _ func() (domain.Verdict, error)) (domain.Verdict, error) {
			<-ctx.Done()
			return domain.Verdict{}, domain.DatabaseError(ctx.Err())
		},
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T) {
				w := watch(t, moody{memory.New(nil), renew})
				defer w.stop()
				end := time.Now().Add(w.lock.Remaining())
				lost := <-w.lost
				if left := time.Until(end); left != keepNotice || lost.grace != keepGrace {
					t.Errorf("told %v before the end with a grace of %v, want %v and %v", left, lost.grace, keepNotice, keepGrace)
				}
				if w.isFree(t) || !errors.Is(lost.reason, namedlock.ErrLapsed) {
					t.Errorf("lost because %v", lost.reason)
				}
			})
		})
	}
}

func TestTheGraceIsNoLongerThanWhatIsLeft(t *testing.T) {
	inTime(t, func(t *testing.T) {
		l := lease{ttl: keepTTL, grace: keepGrace}
		for left, want := range map[time.Duration]time.Duration{
			keepTTL: keepGrace, keepNotice: keepGrace, 5 * time.Second: 4 * time.Second, time.Second: 0, 0: 0, -time.Hour: 0,
		} {
			if got := l.graceUntil(time.Now().Add(left)); got != want {
				t.Errorf("with %v left the grace is %v, want %v", left, got, want)
			}
		}
	})
}

func TestTheReasonTellsWhatTheStoreSaidLast(t *testing.T) {
	inTime(t, func(t *testing.T) {
		w := watch(t, moody{memory.New(nil), func(context.Context, func() (domain.Verdict, error)) (domain.Verdict, error) {
			return domain.Verdict{}, domain.DatabaseError(errDown)
		}})
		defer w.stop()
		if lost := <-w.lost; !errors.Is(lost.reason, errDown) {
			t.Errorf("the reason %q does not tell of %q", lost.reason, errDown)
		}
	})
}

func TestAShortFailureIsOutlived(t *testing.T) {
	inTime(t, func(t *testing.T) {
		began := time.Now()
		w := watch(t, moody{memory.New(nil), func(_ context.Context, really func() (domain.Verdict, error)) (domain.Verdict, error) {
			if time.Since(began) < keepTTL/2 {
				return domain.Verdict{}, domain.DatabaseError(errDown)
			}
			return really()
		}})
		time.Sleep(5 * keepTTL)
		if w.isFree(t) {
			t.Error("the lock lapsed")
		}
		w.stop()
		if lost := <-w.lost; lost != nil {
			t.Errorf("lost: %v", lost)
		}
	})
}
