package namedlock

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// term is one time in office.
type term struct {
	leader      string
	began, over time.Time
}

// candidate campaigns in the background until the returned function is called, which waits for Lead to return. Each of its
// terms lasts until it is told to end.
func candidate(t *testing.T, locker *Locker, name, owner string, terms chan<- term) (resign func() error) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- locker.Lead(ctx, name, owner, 10*time.Second, func(ctx context.Context) error {
			began := time.Now()
			<-ctx.Done()
			terms <- term{owner, began, time.Now()}
			return ctx.Err()
		})
	}()
	synctest.Wait()
	return func() error {
		cancel()
		return <-done
	}
}

func TestLeadHasOneLeaderAndASuccessorWithinASecond(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, ann *Locker) {
		terms := make(chan term, 10)
		bob := New(s)
		began := time.Now()
		annResigns := candidate(t, ann, "office", "ann", terms)
		bobResigns := candidate(t, bob, "office", "bob", terms)
		time.Sleep(time.Minute)
		if err := annResigns(); err != nil {
			t.Errorf("the end of the context is %v, want nil", err)
		}
		time.Sleep(time.Minute)
		if err := bobResigns(); err != nil {
			t.Error(err)
		}
		first, second := <-terms, <-terms
		if first != (term{"ann", began, began.Add(time.Minute)}) || second.leader != "bob" || second.began.Before(first.over) || second.began.Sub(first.over) > time.Second {
			t.Errorf("the terms were %+v and %+v", first, second)
		}
		isFree(t, s, "office")
	})
}

func TestLeadCampaignsAgainAfterALossAndWaitsForTheWorkFirst(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		var leading, most, served atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- locker.Lead(ctx, "office", "ann", 10*time.Second, func(ctx context.Context) error {
				most.Store(max(most.Load(), leading.Add(1)))
				defer leading.Add(-1)
				served.Add(1)
				<-ctx.Done()
				time.Sleep(30 * time.Second)
				return context.Cause(ctx)
			})
		}()
		for range 3 {
			time.Sleep(time.Minute)
			s.unreachable.Store(true)
			time.Sleep(20 * time.Second)
			s.unreachable.Store(false)
		}
		time.Sleep(time.Minute)
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if most.Load() != 1 || served.Load() != 4 {
			t.Errorf("%d terms, of which %d at the same time; want 4, one at a time", served.Load(), most.Load())
		}
	})
}

func TestAnOutageDoesNotEndTheCampaign(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.unreachable.Store(true)
		terms := make(chan term, 1)
		resign := candidate(t, locker, "office", "ann", terms)
		time.Sleep(time.Hour)
		if asked := s.acquires.Load(); asked > 2*3600 {
			t.Errorf("a store that is down was asked %d times in an hour", asked)
		}
		s.unreachable.Store(false)
		back := time.Now()
		time.Sleep(time.Minute)
		_ = resign()
		if late := (<-terms).began.Sub(back); late > lastRetry*5/4 {
			t.Errorf("it led %v after the store was back", late)
		}
	})
}

func TestALeaderThatResignedLetsOthersGoFirst(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, ann *Locker) {
		bob := New(s)
		var order []string
		ctx, cancel := context.WithCancel(t.Context())
		serve := func(who string) func(context.Context) error {
			return func(context.Context) error {
				order = append(order, who)
				time.Sleep(5 * time.Second)
				return nil
			}
		}
		done := make(chan error, 2)
		go func() { done <- ann.Lead(ctx, "office", "ann", 10*time.Second, serve("ann")) }()
		synctest.Wait()
		go func() { done <- bob.Lead(ctx, "office", "bob", 10*time.Second, serve("bob")) }()
		time.Sleep(29 * time.Second)
		cancel()
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if got := fmt.Sprint(order[:5]); got != "[ann bob ann bob ann]" {
			t.Errorf("they led in the order %s", got)
		}
	})
}

func TestALeaderThatResignedLeadsAgainWhenNobodyElseWaits(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		served := 0
		_ = locker.Lead(expired(t, time.Minute), "office", "ann", 10*time.Second, func(context.Context) error { served++; return nil })
		if served < 55 || served > 61 {
			t.Errorf("it led %d times in a minute", served)
		}
	})
}

func TestWorkThatFailsEndsTheCampaign(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		if err := locker.Lead(t.Context(), "office", "ann", 10*time.Second, lasts(time.Minute, errWork)); err != errWork { //nolint:errorlint // as it is
			t.Errorf("%v, want the error of the work", err)
		}
		isFree(t, s, "office")
		err := locker.Lead(t.Context(), "office", "ann", 10*time.Second, func(ctx context.Context) error {
			s.unreachable.Store(true)
			<-ctx.Done()
			return errWork
		})
		is(t, err, errWork, ErrLapsed)
	})
}

func TestALeaderDoesNotHideAnErrorBehindTheEndOfItsContext(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		err := locker.Lead(expired(t, time.Minute), "office", "ann", 10*time.Second, func(ctx context.Context) error {
			<-ctx.Done()
			return errWork
		})
		is(t, err, errWork)
	})
}

func TestLeadRefusesATTLThatCannotBeRenewed(t *testing.T) {
	s := newStore()
	err := New(s).Lead(t.Context(), "office", "ann", 99*time.Millisecond, unreached(t))
	is(t, err, ErrInvalidTTL)
	if s.asked.Load() != 0 {
		t.Error("the store was asked")
	}
}

func TestCloseEndsTheCampaign(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		done := make(chan error, 2)
		for _, owner := range []string{"ann", "bob"} {
			go func() { done <- locker.Lead(t.Context(), "office", owner, 10*time.Second, lasts(time.Hour, nil)) }()
			synctest.Wait()
		}
		shut(t, s, locker)
		is(t, <-done, ErrClosed)
		is(t, <-done, ErrClosed)
	})
}

func TestOneProcessLeadsUnderManyNames(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		terms := make(chan term, 10)
		resignA := candidate(t, locker, "a", "ann", terms)
		resignB := candidate(t, locker, "b", "ann", terms)
		time.Sleep(time.Hour)
		_ = resignA()
		isFree(t, s, "a")
		lose(t, locker, "b", "bob")
		_ = resignB()
		if first, second := <-terms, <-terms; first.over.Sub(first.began) != time.Hour || second.over.Sub(second.began) != time.Hour {
			t.Errorf("the terms were %+v and %+v", first, second)
		}
	})
}
