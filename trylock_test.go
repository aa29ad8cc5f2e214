package namedlock

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

func TestTryLockSetsExactlyOneResult(t *testing.T) {
	const theLock, theIncumbent, theError = "the lock", "the incumbent", "the error"
	tests := map[string]struct {
		name, owner string
		ttl         time.Duration
		before      func(t *testing.T, s *store, locker *Locker)
		want        string
	}{
		"a free name":                {"free", "ann", time.Minute, nil, theLock},
		"a name that lapsed":         {"lapsed", "ann", time.Minute, nil, theLock},
		"a name that ann holds":      {"held", "ann", time.Minute, nil, theLock},
		"a name that ann holds, bob": {"held", "bob", time.Minute, nil, theIncumbent},
		"an empty name":              {"", "ann", time.Minute, nil, theError},
		"a reserved name":            {"namedlock:x", "ann", time.Minute, nil, theError},
		"an empty owner":             {"free", "", time.Minute, nil, theError},
		"no duration":                {"free", "ann", 0, nil, theError},
		"a store that is down":       {"free", "ann", time.Minute, func(_ *testing.T, s *store, _ *Locker) { s.goDown() }, theError},
		"a store that is down, held": {"held", "bob", time.Minute, func(_ *testing.T, s *store, _ *Locker) { s.goDown() }, theError},
		"a closed locker":            {"free", "ann", time.Minute, shut, theError},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			inTime(t, func(t *testing.T, s *store, locker *Locker) {
				take(t, locker, "held", "ann", time.Hour)
				take(t, locker, "lapsed", "bob", time.Second)
				time.Sleep(time.Second)
				if test.before != nil {
					test.before(t, s, locker)
				}
				lock, incumbent, err := locker.TryLock(t.Context(), test.name, test.owner, test.ttl)
				for result, set := range map[string]bool{theLock: lock != nil, theIncumbent: incumbent != nil, theError: err != nil} {
					if set != (result == test.want) {
						t.Errorf("%s is set: %v, want only %s", result, set, test.want)
					}
				}
			})
		})
	}
}

func shut(t *testing.T, _ *store, locker *Locker) {
	t.Helper()
	if err := locker.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTryLockChecksNameThenOwnerThenDurationThenClosed(t *testing.T) {
	const good, blank = "good", " "
	tests := []struct {
		name, owner string
		ttl         time.Duration
		want        error
		says        string
	}{
		{blank, blank, 0, ErrInvalidName, "the name"},
		{"namedlock:x", blank, 0, ErrReservedName, "belong to the library"},
		{good, blank, 0, ErrInvalidName, "the owner"},
		{good, good, 0, ErrInvalidTTL, "positive"},
		{good, good, time.Minute, ErrClosed, "closed"},
	}
	s := newStore()
	locker := New(s)
	shut(t, s, locker)
	s.asked.Store(0)
	for _, test := range tests {
		_, _, err := locker.TryLock(t.Context(), test.name, test.owner, test.ttl)
		for _, kind := range []error{ErrInvalidName, ErrReservedName, ErrInvalidTTL, ErrClosed} {
			if errors.Is(err, kind) != (kind == test.want) { //nolint:errorlint // which row of the table it is
				t.Errorf("%q, %q, %v: got %v, want only %q", test.name, test.owner, test.ttl, err, test.want)
			}
		}
		if !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q does not say %q", err, test.says)
		}
	}
	if got := s.asked.Load(); got != 0 {
		t.Errorf("the store was asked %d times, want none by a locker that is closed", got)
	}
}

func TestL9ADurationThatIsNotPositiveWritesNothing(t *testing.T) {
	for _, ttl := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
		s := newStore()
		_, _, err := New(s).TryLock(t.Context(), "reports", "ann", ttl)
		is(t, err, ErrInvalidTTL, ErrDatabase)
		if got := s.asked.Load(); got != 0 {
			t.Errorf("ttl %d: the store was asked %d times", ttl, got)
		}
	}
}

func TestM4AnyPositiveDurationIsHeld(t *testing.T) {
	for asked, kept := range map[time.Duration]time.Duration{
		1:                          time.Microsecond,
		999:                        time.Microsecond,
		1001:                       2 * time.Microsecond,
		200 * 365 * 24 * time.Hour: 200 * 365 * 24 * time.Hour,
		math.MaxInt64:              math.MaxInt64,
	} {
		inTime(t, func(t *testing.T, _ *store, locker *Locker) {
			remains(t, take(t, locker, "reports", "ann", asked), kept)
			lose(t, locker, "reports", "bob")
		})
	}
}

func TestM6ARefusalTellsWhoHoldsItSinceWhenAndUntilWhen(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.ahead = time.Hour
		took := s.Now().UTC()
		lock := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(10 * time.Second)
		got := lose(t, locker, "reports", "bob")
		want := Incumbent{
			Name: "reports", Owner: "ann", Token: lock.Token(),
			AcquiredAt: took, Deadline: took.Add(30 * time.Second), SeenAt: took.Add(10 * time.Second),
		}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if got.Lapsed() || got.Remaining() != 20*time.Second {
			t.Errorf("lapsed is %v with %v remaining", got.Lapsed(), got.Remaining())
		}
	})
}

func TestL2ARefusalLeavesTheWinnerAlone(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		take(t, locker, "reports", "ann", 30*time.Second)
		before, _ := stands(t, s, "reports")
		time.Sleep(29 * time.Second)
		lose(t, locker, "reports", "bob")
		if after, _ := stands(t, s, "reports"); after != before {
			t.Errorf("the row was %+v and is %+v", before, after)
		}
	})
}

func TestL3L4ALockGoesToTheNextAskerAtItsDeadline(t *testing.T) {
	inTime(t, func(t *testing.T, _ *store, locker *Locker) {
		first := take(t, locker, "reports", "ann", 30*time.Second)
		time.Sleep(30*time.Second - time.Microsecond)
		lose(t, locker, "reports", "bob")
		time.Sleep(time.Microsecond)
		if second := take(t, locker, "reports", "bob", 30*time.Second); second.Token() <= first.Token() {
			t.Errorf("token %d follows %d", second.Token(), first.Token())
		}
	})
}

func TestL5TheSameOwnerIsGrantedWhatIsThere(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		first := take(t, locker, "reports", "ann", 30*time.Second)
		before, _ := stands(t, s, "reports")
		time.Sleep(10 * time.Second)
		second := take(t, locker, "reports", "ann", time.Hour)
		if second.Token() != first.Token() || !second.Deadline().Equal(first.Deadline()) {
			t.Errorf("token %d until %v, want %d until %v", second.Token(), second.Deadline(), first.Token(), first.Deadline())
		}
		remains(t, second, 20*time.Second)
		if after, _ := stands(t, s, "reports"); after != before {
			t.Errorf("the row was %+v and is %+v", before, after)
		}
		releases(t, second, true)
		renews(t, first, time.Minute, false)
		releases(t, first, false)
	})
}

func TestL1OfManyConcurrentAskersOneIsGranted(t *testing.T) {
	locker := New(newStore())
	const askers = 100
	var locks, incumbents sync.Map
	var all sync.WaitGroup
	for i := range askers {
		all.Go(func() {
			owner := fmt.Sprint("owner ", i)
			lock, incumbent, err := locker.TryLock(t.Context(), "reports", owner, time.Hour)
			switch {
			case err != nil:
				t.Error(err)
			case lock != nil:
				locks.Store(owner, lock.Token())
			default:
				incumbents.Store(incumbent.Owner, incumbent.Token)
			}
		})
	}
	all.Wait()
	winners, named := collected(&locks), collected(&incumbents)
	if len(winners) != 1 || len(named) != 1 {
		t.Fatalf("granted to %v, the others were told of %v", winners, named)
	}
	for owner, token := range winners {
		if named[owner] != token {
			t.Errorf("granted to %v, the others were told of %v", winners, named)
		}
	}
}

func collected(from *sync.Map) map[any]any {
	all := map[any]any{}
	from.Range(func(key, value any) bool {
		all[key] = value
		return true
	})
	return all
}

func TestEachTryHasAClaimOfItsOwn(t *testing.T) {
	s := newStore()
	seen := map[domain.ClaimID]bool{}
	s.acquire = func(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
		if seen[claim.ID] {
			t.Errorf("claim %d was drawn twice", claim.ID)
		}
		seen[claim.ID] = true
		return s.Repository.Acquire(ctx, claim)
	}
	locker := New(s)
	for range 1000 {
		take(t, locker, "reports", "ann", time.Hour)
	}
}

func TestTryLockPassesItsContextOn(t *testing.T) {
	type key struct{}
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		s.acquire = func(ctx context.Context, _ domain.Claim) (domain.Verdict, error) {
			if ctx.Value(key{}) != "value" {
				t.Error("the values of the context are lost")
			}
			<-ctx.Done()
			return domain.Verdict{}, ports.NoEffect(ctx.Err())
		}
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, "value"), 3*time.Second)
		defer cancel()
		began := time.Now()
		_, _, err := locker.TryLock(ctx, "reports", "ann", time.Hour)
		is(t, err, ErrDatabase, context.DeadlineExceeded)
		if lasted := time.Since(began); lasted != 3*time.Second {
			t.Errorf("the call lasted %v, want no longer than its context", lasted)
		}
	})
}

func TestAContextThatHasEndedAsksForNothing(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _, err := locker.TryLock(ctx, "reports", "ann", time.Hour)
		is(t, err, ErrDatabase, context.Canceled)
		if _, found := stands(t, s, "reports"); found {
			t.Error("a row was written")
		}
	})
}
