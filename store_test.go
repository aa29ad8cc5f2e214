package namedlock

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/adapters/memory"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// errDown stands for what a driver says when its database cannot be reached.
var errDown = errors.New("connection refused")

// store is a repository in memory. A test that needs another answer sets the function of its method.
type store struct {
	*memory.Repository
	// ahead is how far the clock of the store is ahead of this machine's.
	ahead time.Duration
	// asked counts the calls of every method.
	asked atomic.Int32
	// acquires and renewals count what was asked of two of them.
	acquires, renewals atomic.Int32
	// unreachable lets every call fail, and frozen lets it hang as long as its context lives.
	unreachable, frozen atomic.Bool

	acquire  func(context.Context, domain.Claim) (domain.Verdict, error)
	renew    func(context.Context, domain.Grant, domain.TTL) (domain.Verdict, error)
	release  func(context.Context, domain.Grant) (bool, error)
	withdraw func(context.Context, domain.Claim) (bool, error)
	find     func(context.Context, domain.Name) (domain.Sighting, error)
	crack    func(context.Context, domain.Name, domain.Token) (bool, error)
	list     func(context.Context, domain.Prefix, ports.Page) ([]domain.Sighting, error)
	purge    func(context.Context, domain.Age, ports.Page) (ports.Purged, error)
	shut     func() error
}

func newStore() *store {
	s := &store{}
	s.Repository = memory.New(s)
	return s
}

// Now makes the store its own clock.
func (s *store) Now() time.Time { return time.Now().Add(s.ahead) }

// trouble returns what keeps the store from answering.
func (s *store) trouble(ctx context.Context) error {
	if s.frozen.Load() {
		<-ctx.Done()
		return domain.DatabaseError(ctx.Err())
	}
	if s.unreachable.Load() {
		return domain.DatabaseError(errDown)
	}
	return nil
}

func (s *store) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	s.asked.Add(1)
	s.acquires.Add(1)
	if err := s.trouble(ctx); err != nil {
		return domain.Verdict{}, err
	}
	if s.acquire != nil {
		return s.acquire(ctx, claim)
	}
	return s.Repository.Acquire(ctx, claim)
}

// RenewBatch asks for each renewal alone, so that a test that sets another answer for one is heard.
func (s *store) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	answers := make([]ports.Renewed, len(renewals))
	for i, renewal := range renewals {
		var err error
		if answers[i].Verdict, err = s.Renew(ctx, renewal.Grant, renewal.TTL); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

func (s *store) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	s.asked.Add(1)
	s.renewals.Add(1)
	if err := s.trouble(ctx); err != nil {
		return domain.Verdict{}, err
	}
	if s.renew != nil {
		return s.renew(ctx, grant, ttl)
	}
	return s.Repository.Renew(ctx, grant, ttl)
}

func (s *store) Release(ctx context.Context, grant domain.Grant) (bool, error) {
	s.asked.Add(1)
	if err := s.trouble(ctx); err != nil {
		return false, err
	}
	if s.release != nil {
		return s.release(ctx, grant)
	}
	return s.Repository.Release(ctx, grant)
}

func (s *store) Withdraw(ctx context.Context, claim domain.Claim) (bool, error) {
	s.asked.Add(1)
	if err := s.trouble(ctx); err != nil {
		return false, err
	}
	if s.withdraw != nil {
		return s.withdraw(ctx, claim)
	}
	return s.Repository.Withdraw(ctx, claim)
}

func (s *store) Find(ctx context.Context, name domain.Name) (domain.Sighting, error) {
	s.asked.Add(1)
	if s.find != nil {
		return s.find(ctx, name)
	}
	if err := s.trouble(ctx); err != nil {
		return domain.Sighting{}, err
	}
	return s.Repository.Find(ctx, name)
}

func (s *store) List(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
	s.asked.Add(1)
	if s.list != nil {
		return s.list(ctx, prefix, page)
	}
	return s.Repository.List(ctx, prefix, page)
}

func (s *store) Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error) {
	s.asked.Add(1)
	if s.crack != nil {
		return s.crack(ctx, name, seen)
	}
	return s.Repository.Break(ctx, name, seen)
}

func (s *store) Purge(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
	s.asked.Add(1)
	if s.purge != nil {
		return s.purge(ctx, age, page)
	}
	return s.Repository.Purge(ctx, age, page)
}

func (s *store) Close() error {
	s.asked.Add(1)
	if s.shut != nil {
		return s.shut()
	}
	return s.Repository.Close()
}

// plain is a repository without the optional ports.
type plain struct{ ports.Repository }

// goDown lets the store fail whatever it is asked.
func (s *store) goDown() {
	err := domain.DatabaseError(errDown)
	s.acquire = func(context.Context, domain.Claim) (domain.Verdict, error) { return domain.Verdict{}, err }
	s.renew = func(context.Context, domain.Grant, domain.TTL) (domain.Verdict, error) { return domain.Verdict{}, err }
	s.release = func(context.Context, domain.Grant) (bool, error) { return false, err }
	s.withdraw = func(context.Context, domain.Claim) (bool, error) { return false, err }
	s.find = func(context.Context, domain.Name) (domain.Sighting, error) { return domain.Sighting{}, err }
	s.crack = func(context.Context, domain.Name, domain.Token) (bool, error) { return false, err }
	s.list = func(context.Context, domain.Prefix, ports.Page) ([]domain.Sighting, error) { return nil, err }
	s.purge = func(context.Context, domain.Age, ports.Page) (ports.Purged, error) { return ports.Purged{}, err }
}

// inTime runs a test in a world of its own, where time passes only when everybody waits. It fails when a goroutine of the
// library remains ten seconds after the test.
func inTime(t *testing.T, test func(t *testing.T, s *store, locker *Locker)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer time.Sleep(10 * time.Second)
		s := newStore()
		test(t, s, New(s))
	})
}

// take returns the lock that owner gets.
func take(t *testing.T, locker *Locker, name, owner string, ttl time.Duration) *Lock {
	t.Helper()
	lock, incumbent, err := locker.TryLock(t.Context(), name, owner, ttl)
	if lock == nil || incumbent != nil || err != nil {
		t.Fatalf("%s trying %q: got %v, %v, %v; want a lock", owner, name, lock, incumbent, err)
	}
	return lock
}

// lose returns the incumbent that owner meets.
func lose(t *testing.T, locker *Locker, name, owner string) Incumbent {
	t.Helper()
	lock, incumbent, err := locker.TryLock(t.Context(), name, owner, time.Minute)
	if lock != nil || incumbent == nil || err != nil {
		t.Fatalf("%s trying %q: got %v, %v, %v; want an incumbent", owner, name, lock, incumbent, err)
	}
	return *incumbent
}

// renews fails unless a renewal answers as wanted, without an error.
func renews(t *testing.T, lock *Lock, ttl time.Duration, want bool) {
	t.Helper()
	if renewed, err := lock.Renew(t.Context(), ttl); renewed != want || err != nil {
		t.Errorf("renewal is %v, %v; want %v", renewed, err, want)
	}
}

// releases fails unless a release answers as wanted, without an error.
func releases(t *testing.T, lock *Lock, want bool) {
	t.Helper()
	if released, err := lock.Release(t.Context()); released != want || err != nil {
		t.Errorf("release is %v, %v; want %v", released, err, want)
	}
}

// remains fails unless the holder may count on exactly that long.
func remains(t *testing.T, lock *Lock, want time.Duration) {
	t.Helper()
	if got := lock.Remaining(); got != want {
		t.Errorf("%v remains, want %v", got, want)
	}
}

// stands returns the row of the name, and whether there is one.
func stands(t *testing.T, s *store, name string) (domain.Lock, bool) {
	t.Helper()
	sighting, err := s.Repository.Find(context.WithoutCancel(t.Context()), domain.RestoreName(name))
	if err != nil {
		t.Fatal(err)
	}
	return sighting.Lock, sighting.Lock.Exists()
}

// is fails unless err is all of kinds.
func is(t *testing.T, err error, kinds ...error) {
	t.Helper()
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			t.Errorf("the error is %v, want one that is %q", err, kind)
		}
	}
}
