package namedlock

import (
	"context"
	"fmt"
	"slices"
	"sync"
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
