package namedlock

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// watcher records what is tried and what is taken back.
type watcher struct {
	began time.Time

	mu     sync.Mutex
	tried  []domain.Claim
	looked []domain.Claim
	at     []time.Duration
}

// watch lets every try fail without a word of its outcome. The attempts to take something back, the first of them is number
// one, answer as told.
func watch(s *store, answer func(attempt int) (bool, error)) *watcher {
	w := &watcher{began: time.Now()}
	s.acquire = func(_ context.Context, claim domain.Claim) (domain.Verdict, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tried = append(w.tried, claim)
		return domain.Verdict{}, domain.DatabaseError(errDown)
	}
	s.withdraw = func(_ context.Context, claim domain.Claim) (bool, error) { return answer(w.look(claim)) }
	return w
}

func (w *watcher) look(claim domain.Claim) (attempt int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked = append(w.looked, claim)
	w.at = append(w.at, time.Since(w.began))
	return len(w.at)
}

// looks returns when something was looked for, counted from the beginning.
func (w *watcher) looks() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.at)
}

// fails tries in vain.
func fails(t *testing.T, locker *Locker) {
	t.Helper()
	_, _, err := locker.TryLock(t.Context(), "reports", "ann", time.Minute)
	is(t, err, ErrDatabase)
}

func nothing(int) (bool, error) { return false, nil }

func down(int) (bool, error) { return false, domain.DatabaseError(errDown) }

func TestM8AFailedTryLooksForItsOwnClaimAtOnceAndAgain(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		w := watch(s, nothing)
		fails(t, locker)
		synctest.Wait()
		if at := w.looks(); len(at) != 1 || at[0] != 0 {
			t.Errorf("looks came at %v, want one at once", at)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		for _, claim := range w.looked {
			if claim != w.tried[0] {
				t.Errorf("%+v was withdrawn, want %+v", claim, w.tried[0])
			}
		}
		at := w.looks()
		if n := len(at); n < 3 || at[n-1] < 500*time.Millisecond || at[n-1] >= 2*time.Second {
			t.Errorf("looks came at %v, want several over half a second, and then the answer believed", at)
		}
		if !areGrowing(at) {
			t.Errorf("looks came at %v, want growing pauses", at)
		}
	})
}

func areGrowing(at []time.Duration) bool {
	for i := 2; i < len(at); i++ {
		if at[i]-at[i-1] <= at[i-1]-at[i-2] {
			return false
		}
	}
	return true
}

func TestM8ALookThatFoundItIsTheLast(t *testing.T) {
	for last := range 3 {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			w := watch(s, func(attempt int) (bool, error) { return attempt > last, nil })
			fails(t, locker)
			time.Sleep(time.Minute)
			if at := w.looks(); len(at) != last+1 {
				t.Errorf("looks came at %v, want %d", at, last+1)
			}
		})
	}
}

func TestM8AStoreThatIsDownIsAskedForFiveSeconds(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		w := watch(s, down)
		fails(t, locker)
		time.Sleep(time.Minute)
		at := w.looks()
		if n := len(at); n < 4 || at[n-1] < time.Second || at[n-1] > 5*time.Second {
			t.Errorf("looks came at %v, want them to go on for some seconds, but no longer than five", at)
		}
	})
}

func TestM8AStoreThatComesBackGivesBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		back := time.Now().Add(time.Second)
		s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
			if time.Now().Before(back) {
				return false, domain.DatabaseError(errDown)
			}
			return s.Repository.Withdraw(ctx, claim)
		}
		fails(t, locker)
		time.Sleep(5 * time.Second)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v is left behind", row)
		}
	})
}

func TestM8AStoreThatNeverAnswersIsLeftAfterFiveSeconds(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		w := watch(s, nothing)
		s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
			w.look(claim)
			<-ctx.Done()
			return false, domain.DatabaseError(ctx.Err())
		}
		fails(t, locker)
		shut(t, s, locker)
		if lasted := time.Since(w.began); lasted != 5*time.Second || len(w.looks()) != 1 {
			t.Errorf("it took %v and looks at %v, want 5 s and one", lasted, w.looks())
		}
	})
}

func TestM8TheCallItselfDoesNotWait(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		watch(s, func(int) (bool, error) { time.Sleep(time.Second); return true, nil })
		began := time.Now()
		fails(t, locker)
		if lasted := time.Since(began); lasted != 0 {
			t.Errorf("the call took %v", lasted)
		}
	})
}

func TestM8NothingIsLookedForWhereNothingCanBe(t *testing.T) {
	grant := domain.Verdict{Granted: true}
	for title, test := range map[string]struct {
		name    string
		verdict domain.Verdict
		err     error
	}{
		"when it is certain that nothing was changed": {"reports", domain.Verdict{}, ports.NoEffect(errDown)},
		"when that is further down the chain":         {"reports", domain.Verdict{}, fmt.Errorf("more: %w", ports.NoEffect(errDown))},
		"when the store is closed":                    {"reports", domain.Verdict{}, domain.ErrClosed},
		"when the lock is held elsewhere":             {"reports", domain.Verdict{}, nil},
		"when it was granted":                         {"reports", grant, nil},
		"when the name is invalid":                    {"", domain.Verdict{}, nil},
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				w := watch(s, nothing)
				s.acquire = func(context.Context, domain.Claim) (domain.Verdict, error) { return test.verdict, test.err }
				_, _, err := locker.TryLock(t.Context(), test.name, "ann", time.Minute)
				if test.err != nil {
					is(t, err, test.err)
				}
				time.Sleep(time.Minute)
				if at := w.looks(); len(at) != 0 {
					t.Errorf("looks came at %v", at)
				}
			})
		})
	}
}

func TestM8ACallThatWasCancelledIsTakenBack(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
			if _, err := s.Repository.Acquire(ctx, claim); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return domain.Verdict{}, domain.DatabaseError(ctx.Err())
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _, err := locker.TryLock(ctx, "reports", "ann", time.Hour)
		is(t, err, context.DeadlineExceeded)
		synctest.Wait()
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v is left behind", row)
		}
	})
}

// The call ended in an error, and arrives nevertheless.
func TestM8AGrantThatArrivesLateIsTakenBack(t *testing.T) {
	for _, late := range []time.Duration{0, time.Millisecond, 49 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond} {
		t.Run(late.String(), func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				s.acquire = arrivingLate(t, s, late)
				fails(t, locker)
				time.Sleep(late)
				synctest.Wait()
				s.acquire = nil
				time.Sleep(time.Second)
				take(t, locker, "reports", "bob", time.Hour)
			})
		})
	}
}

func arrivingLate(t *testing.T, s *store, late time.Duration) func(context.Context, domain.Claim) (domain.Verdict, error) {
	return func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
		go func() {
			time.Sleep(late)
			if verdict, err := s.Repository.Acquire(context.WithoutCancel(ctx), claim); !verdict.Granted || err != nil {
				t.Errorf("the late call got %+v, %v", verdict, err)
			}
		}()
		return domain.Verdict{}, domain.DatabaseError(errDown)
	}
}

func TestM8TheGrantOfAnotherCallStays(t *testing.T) {
	for _, owner := range []string{"ann", "bob"} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			lock := take(t, locker, "reports", owner, time.Hour)
			s.acquire = arrivingAndLost(s)
			fails(t, locker)
			time.Sleep(time.Minute)
			renews(t, lock, time.Hour, true)
		})
	}
}

// arrivingAndLost carries the call out and loses its answer.
func arrivingAndLost(s *store) func(context.Context, domain.Claim) (domain.Verdict, error) {
	return func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
		if _, err := s.Repository.Acquire(ctx, claim); err != nil {
			return domain.Verdict{}, err
		}
		return domain.Verdict{}, domain.DatabaseError(errDown)
	}
}

// Whoever hears no answer asks again, and may meet there what the lost call got. Whatever that second call is granted must
// not be taken away in the background.
func TestM8ATryAfterALostAnswerKeepsWhatItIsGranted(t *testing.T) {
	for _, pause := range []time.Duration{0, 20 * time.Millisecond, 70 * time.Millisecond} {
		inTime(t, func(t *testing.T, s *store, locker *Locker) {
			s.acquire = arrivingAndLost(s)
			s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
				if !slept(ctx, 50*time.Millisecond) {
					return false, domain.DatabaseError(ctx.Err())
				}
				return s.Repository.Withdraw(ctx, claim)
			}
			fails(t, locker)
			s.acquire = nil
			time.Sleep(pause)
			lock := take(t, locker, "reports", "ann", time.Minute)
			time.Sleep(10 * time.Second)
			lose(t, locker, "reports", "bob")
			renews(t, lock, time.Minute, true)
		})
	}
}

// Two calls of one owner share a grant (L5). That one of them heard no answer is no reason to take it from the other.
func TestM8AGrantThatAnotherCallSharesIsNotTakenFromIt(t *testing.T) {
	for title, second := range map[string]struct{ answer time.Duration }{
		"which was answered before the first was lost": {0},
		"which is answered after the first was lost":   {2 * time.Second},
	} {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				s.acquire = losingTheFirst(s, time.Second, second.answer)
				go fails(t, locker)
				synctest.Wait()
				lock := take(t, locker, "reports", "ann", time.Minute)
				time.Sleep(10 * time.Second)
				lose(t, locker, "reports", "bob")
				renews(t, lock, time.Minute, true)
			})
		})
	}
}

// losingTheFirst carries out every call at once. The first is lost after a while, the second is answered after a while.
func losingTheFirst(
	s *store, lost, answered time.Duration,
) func(context.Context, domain.Claim) (domain.Verdict, error) {
	var calls atomic.Int32
	return func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
		verdict, err := s.Repository.Acquire(ctx, claim)
		switch calls.Add(1) {
		case 1:
			time.Sleep(lost)
			return domain.Verdict{}, domain.DatabaseError(errDown)
		case 2:
			time.Sleep(answered)
		}
		return verdict, err
	}
}

// Until the store was asked nothing counts against the lock.
func TestATryAfterALostAnswerLosesNoTimeByWaiting(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
			time.Sleep(3 * time.Second)
			return s.Repository.Withdraw(ctx, claim)
		}
		fails(t, locker)
		synctest.Wait()
		s.acquire = nil
		remains(t, take(t, locker, "reports", "ann", 30*time.Second), 30*time.Second)
	})
}

func TestATryAfterALostAnswerWaitsNoLongerThanItsContextLives(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, _ domain.Claim) (bool, error) {
			<-ctx.Done()
			return false, domain.DatabaseError(ctx.Err())
		}
		fails(t, locker)
		synctest.Wait()
		s.acquire = nil
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := locker.TryLock(ctx, "reports", "ann", time.Minute)
		is(t, err, ErrDatabase, context.DeadlineExceeded)
		if lasted := time.Since(began); lasted != time.Second {
			t.Errorf("the call lasted %v, want no longer than its context", lasted)
		}
	})
}

// What one call lost concerns nobody else.
func TestOthersDoNotWaitForALostAnswer(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, _ domain.Claim) (bool, error) {
			<-ctx.Done()
			return false, domain.DatabaseError(ctx.Err())
		}
		fails(t, locker)
		synctest.Wait()
		s.acquire = nil
		began := time.Now()
		lose(t, locker, "reports", "bob")
		take(t, locker, "other", "ann", time.Minute)
		if lasted := time.Since(began); lasted != 0 {
			t.Errorf("others waited for %v", lasted)
		}
	})
}

func TestManyTriesOfOneOwnerWhoseAnswersGetLost(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = arrivingAndLost(s)
		s.withdraw = func(ctx context.Context, claim domain.Claim) (bool, error) {
			time.Sleep(10 * time.Millisecond)
			return s.Repository.Withdraw(ctx, claim)
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { fails(t, locker) })
		}
		all.Wait()
		time.Sleep(5 * time.Second)
		if row, found := stands(t, s, "reports"); found {
			t.Errorf("%+v is left behind", row)
		}
	})
}

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
