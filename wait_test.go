package namedlock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// outcome is what a wait brought, and when.
type outcome struct {
	lock *Lock
	err  error
	at   time.Time
}

// waits lets owner wait for the lock in the background.
func waits(ctx context.Context, locker *Locker, name, owner string, ttl time.Duration) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		lock, err := locker.Lock(ctx, name, owner, ttl)
		done <- outcome{lock, err, time.Now()}
	}()
	return done
}

// after returns the outcome, and fails unless it came exactly that long after began, to the microsecond of the stores.
func (o outcome) after(t *testing.T, began time.Time, want time.Duration) outcome {
	t.Helper()
	if got := o.at.Sub(began); got < want || got >= want+time.Microsecond {
		t.Errorf("the wait ended after %v, want %v", got, want)
	}
	return o
}

// granted returns the lock, and fails when there is none.
func (o outcome) granted(t *testing.T) *Lock {
	t.Helper()
	if o.lock == nil || o.err != nil {
		t.Fatalf("the wait brought %v, %v; want a lock", o.lock, o.err)
	}
	return o.lock
}

func TestLockIsGrantedAtOnceWhatIsFree(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock, err := locker.Lock(t.Context(), "reports", "ann", time.Minute)
		if err != nil || lock.Name() != "reports" || lock.Owner() != "ann" || lock.Token() != 1 {
			t.Errorf("got %+v, %v", lock, err)
		}
		if got := s.asked.Load(); got != 1 {
			t.Errorf("the store was asked %d times, want once", got)
		}
	})
}

func TestLockWakesOnRelease(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		began := time.Now()
		bob := waits(t.Context(), locker, "reports", "bob", time.Minute)
		time.Sleep(10*time.Minute + 123*time.Millisecond)
		releases(t, held, true)
		remains(t, (<-bob).after(t, began, 10*time.Minute+123*time.Millisecond).granted(t), time.Minute)
	})
}

func TestLockWakesOnABreak(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		began := time.Now()
		bob := waits(t.Context(), locker, "reports", "bob", time.Minute)
		time.Sleep(time.Minute / 7)
		if broken, err := locker.Break(t.Context(), "reports", held.Token()); !broken || err != nil {
			t.Fatal(broken, err)
		}
		(<-bob).after(t, began, time.Minute/7).granted(t)
	})
}

func TestM6LockSleepsUntilTheDeadlineAtTheLatest(t *testing.T) {
	for _, ahead := range []time.Duration{0, time.Hour, -time.Hour} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			s.ahead = ahead
			take(t, locker, "reports", "ann", 2345*time.Millisecond)
			began := time.Now()
			(<-waits(t.Context(), locker, "reports", "bob", time.Minute)).after(t, began, 2345*time.Millisecond).granted(t)
		})
	}
}

func TestLockFollowsARenewal(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Second)
		began := time.Now()
		bob := waits(t.Context(), locker, "reports", "bob", time.Minute)
		for range 9 {
			time.Sleep(900 * time.Millisecond)
			renews(t, held, time.Second, true)
		}
		(<-bob).after(t, began, 9100*time.Millisecond).granted(t)
	})
}

// Whatever a store can tell, a ring may be lost.
func TestLockPollsWhereNobodyRings(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		locker := New(plain{s})
		held := take(t, locker, "reports", "ann", time.Hour)
		bob := waits(t.Context(), locker, "reports", "bob", time.Minute)
		time.Sleep(time.Minute)
		freed := time.Now()
		releases(t, held, true)
		got := <-bob
		got.granted(t)
		if late := got.at.Sub(freed); late > oftenPoll*5/4 {
			t.Errorf("the release was noticed after %v", late)
		}
		if asked := s.acquires.Load(); asked > 1000 {
			t.Errorf("the store was asked %d times in a minute", asked)
		}
	})
}

// deaf is a waker that never rings.
type deaf struct{ *store }

func (deaf) Watch(domain.Name) (<-chan struct{}, func()) { return nil, func() {} }

func TestLosingEveryRingCostsLatencyAndNoProgress(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		locker := New(deaf{s})
		held := take(t, locker, "reports", "ann", time.Hour)
		bob := waits(t.Context(), locker, "reports", "bob", time.Minute)
		time.Sleep(time.Minute)
		freed := time.Now()
		releases(t, held, true)
		got := <-bob
		got.granted(t)
		if late := got.at.Sub(freed); late > rarePoll*5/4 {
			t.Errorf("the release was noticed after %v", late)
		}
		if asked := s.acquires.Load(); asked > 90 {
			t.Errorf("the store was asked %d times in a minute", asked)
		}
	})
}

func TestLockServesInOrderOfArrivalAndOnlyTheFirstAsks(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		const crowd = 500
		held := take(t, locker, "reports", "ann", time.Hour)
		served := make(chan int, crowd)
		for i := range crowd {
			go func() {
				lock, err := locker.Lock(t.Context(), "reports", fmt.Sprint("waiter ", i), time.Hour)
				if err != nil {
					t.Error(err)
					return
				}
				served <- i
				_, _ = lock.Release(t.Context())
			}()
			synctest.Wait()
		}
		asked := s.acquires.Load()
		releases(t, held, true)
		for want := range crowd {
			if got := <-served; got != want {
				t.Fatalf("number %d was served as number %d", got, want)
			}
		}
		synctest.Wait()
		if tries := s.acquires.Load() - asked; tries > crowd+1 {
			t.Errorf("%d grants cost %d tries", crowd, tries)
		}
	})
}

func TestAReleaseCostsACrowdOneTry(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		held := take(t, locker, "reports", "ann", time.Hour)
		for i := range 500 {
			waits(ctx, locker, "reports", fmt.Sprint("waiter ", i), time.Hour)
		}
		synctest.Wait()
		asked := s.acquires.Load()
		releases(t, held, true)
		synctest.Wait()
		if tries := s.acquires.Load() - asked; tries != 1 {
			t.Errorf("a release cost %d tries, want one", tries)
		}
	})
}

func TestLockReturnsWhenItsContextEndsAndTellsWhoHeld(t *testing.T) {
	cause := errors.New("the user went home")
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		take(t, locker, "reports", "ann", time.Hour)
		ctx, cancel := context.WithCancelCause(t.Context())
		first := waits(ctx, locker, "reports", "bob", time.Minute)
		synctest.Wait()
		second := waits(ctx, locker, "reports", "eve", time.Minute)
		time.Sleep(time.Second)
		ended := time.Now()
		cancel(cause)
		for _, waiter := range []<-chan outcome{first, second} {
			got := (<-waiter).after(t, ended, 0)
			is(t, got.err, context.Canceled, cause)
			if errors.Is(got.err, ErrDatabase) {
				t.Errorf("%v is an error of the store", got.err)
			}
		}
		var held *HeldError
		_, err := locker.Lock(expired(t, time.Second), "reports", "bob", time.Minute)
		is(t, err, context.DeadlineExceeded)
		if !errors.As(err, &held) || held.Incumbent.Owner != "ann" || held.Incumbent.Token != 1 {
			t.Errorf("%v does not tell who holds the lock", err)
		}
	})
}

// expired returns a context that ends after d.
func expired(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestLockUnderAContextThatHasEndedLeavesNothing(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := locker.Lock(ctx, "reports", "ann", time.Minute)
		is(t, err, context.Canceled)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v is left", row)
		}
	})
}

func TestAWaiterThatGaveUpHoldsNobodyUpAndTakesNothing(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		var cancels []context.CancelFunc
		var waiters []<-chan outcome
		for i := range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			cancels = append(cancels, cancel)
			waiters = append(waiters, waits(ctx, locker, "reports", fmt.Sprint("waiter ", i), time.Hour))
			synctest.Wait()
		}
		for _, i := range []int{0, 1, 3, 4, 7} {
			cancels[i]()
			is(t, (<-waiters[i]).err, context.Canceled)
		}
		for _, next := range []int{2, 5, 6, 8, 9} {
			began := time.Now()
			releases(t, held, true)
			held = (<-waiters[next]).after(t, began, 0).granted(t)
		}
		releases(t, held, true)
		time.Sleep(time.Minute)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v was taken later", row)
		}
		for _, cancel := range cancels {
			cancel()
		}
		nobodyWaits(t, locker)
	})
}

// nobodyWaits fails when a line is left behind.
func nobodyWaits(t *testing.T, locker *Locker) {
	t.Helper()
	locker.lines.mu.Lock()
	defer locker.lines.mu.Unlock()
	if n := len(locker.lines.byName); n != 0 {
		t.Errorf("%d lines are left", n)
	}
}

// Turns that come just when their waiters give up must not be lost.
func TestTurnsAreNotLostToThoseWhoGiveUpAtTheSameMoment(t *testing.T) {
	s := newStore()
	locker := New(s)
	var crowd sync.WaitGroup
	for i := range 200 {
		crowd.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%20)*time.Millisecond)
			defer cancel()
			if lock, err := locker.Lock(ctx, "reports", fmt.Sprint("waiter ", i), time.Hour); err == nil {
				_, _ = lock.Release(ctx)
			}
		})
	}
	crowd.Wait()
	nobodyWaits(t, locker)
	lock, err := locker.Lock(t.Context(), "reports", "last", time.Hour)
	if err != nil || lock == nil {
		t.Error(err)
	}
}

func TestL5TheHolderDoesNotQueueBehindThoseWhoWaitForIt(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		waits(ctx, locker, "reports", "bob", time.Minute)
		synctest.Wait()
		began := time.Now()
		again := (<-waits(t.Context(), locker, "reports", "ann", time.Minute)).after(t, began, 0).granted(t)
		if again.Token() != held.Token() {
			t.Errorf("token %d, want %d", again.Token(), held.Token())
		}
	})
}

func TestAFormerHolderQueuesBehindThoseWhoWaited(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, _ *Locker) {
		locker := New(plain{s}) // where nobody rings, the line has not heard of the release yet
		lock := take(t, locker, "reports", "ann", time.Hour)
		bob := waits(t.Context(), locker, "reports", "bob", time.Hour)
		synctest.Wait()
		releases(t, lock, true)
		ann := waits(t.Context(), locker, "reports", "ann", time.Hour)
		first := (<-bob).granted(t)
		releases(t, first, true)
		if again := (<-ann).granted(t); again.Token() <= first.Token() {
			t.Errorf("token %d of the former holder came before %d of who had waited", again.Token(), first.Token())
		}
	})
}

func TestLockTellsAtOnceThatTheStoreDoesNotAnswer(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.unreachable.Store(true)
		_, err := locker.Lock(t.Context(), "reports", "ann", time.Minute)
		is(t, err, ErrDatabase, errDown)
		s.unreachable.Store(false)
		take(t, locker, "reports", "ann", time.Minute)
	})
}

func TestAnOutageIsWaitedOut(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		held := take(t, locker, "reports", "ann", time.Hour)
		bob := waits(t.Context(), locker, "reports", "bob", time.Minute)
		time.Sleep(time.Minute)
		s.unreachable.Store(true)
		asked := s.acquires.Load()
		time.Sleep(time.Minute)
		if tries := s.acquires.Load() - asked; tries < 10 || tries > 100 {
			t.Errorf("a store that is down was asked %d times in a minute", tries)
		}
		s.unreachable.Store(false)
		back := time.Now()
		releases(t, held, true)
		got := <-bob
		got.granted(t)
		if late := got.at.Sub(back); late > lastRetry*5/4 {
			t.Errorf("granted %v after the store was back", late)
		}
	})
}

func TestL9LockChecksItsInputBeforeAnything(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
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
			_, err := locker.Lock(t.Context(), test.name, test.owner, test.ttl)
			is(t, err, test.want)
			is(t, locker.Do(t.Context(), test.name, test.owner, test.ttl, unreached(t)), test.want)
			is(t, locker.Lead(t.Context(), test.name, test.owner, test.ttl, unreached(t)), test.want)
		}
		if got := s.asked.Load(); got != 0 {
			t.Errorf("the store was asked %d times", got)
		}
	})
}

// unreached is work that must not be run.
func unreached(t *testing.T) func(context.Context) error {
	return func(context.Context) error {
		t.Error("the work was run")
		return nil
	}
}

func TestCloseEndsWaitersWithErrClosed(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		take(t, locker, "reports", "ann", time.Hour)
		var waiters []<-chan outcome
		for i := range 3 {
			waiters = append(waiters, waits(t.Context(), locker, "reports", fmt.Sprint("waiter ", i), time.Hour))
			synctest.Wait()
		}
		began := time.Now()
		shut(t, s, locker)
		for _, waiter := range waiters {
			got := (<-waiter).after(t, began, 0)
			is(t, got.err, ErrClosed)
			if errors.Is(got.err, context.Canceled) {
				t.Errorf("%v: nobody cancelled", got.err)
			}
		}
		_, err := locker.Lock(t.Context(), "other", "ann", time.Hour)
		is(t, err, ErrClosed)
	})
}

// A try that is under way when the waiter gives up may have been granted (M8).
func TestM8AWaiterThatGaveUpInFlightTakesNothing(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
			_, _ = s.Repository.Acquire(context.WithoutCancel(ctx), claim)
			<-ctx.Done()
			return domain.Verdict{}, domain.DatabaseError(ctx.Err())
		}
		_, err := locker.Lock(expired(t, time.Second), "reports", "ann", time.Hour)
		is(t, err, context.DeadlineExceeded)
		time.Sleep(5 * time.Second)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v is left behind", row)
		}
	})
}

func TestEachTryOfAWaitIsAClaimOfItsOwn(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		take(t, locker, "reports", "ann", 10*time.Second)
		var claims []domain.ClaimID
		s.acquire = func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
			claims = append(claims, claim.ID)
			return s.Repository.Acquire(ctx, claim)
		}
		(<-waits(t.Context(), locker, "reports", "bob", time.Minute)).granted(t)
		slices.Sort(claims)
		if len(claims) < 3 || len(slices.Compact(slices.Clone(claims))) != len(claims) {
			t.Errorf("the claims were %v", claims)
		}
	})
}
