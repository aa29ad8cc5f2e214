package selftest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"runtime"
	"sync"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
	"github.com/alkstore/namedlock/specs"
)

// store is a small store in memory, healthy as it is made, in which every decision can be replaced by a wrong one.
type store struct {
	mu   sync.Mutex
	rows map[string]domain.Lock
	last domain.Token
	pool callersPool
	// bells are those who watch, by name.
	bells map[string][]chan struct{}
	decisions
}

// callersPool stands for what an adapter is given, and is to give back.
type callersPool struct {
	inUse  int
	closed bool
}

func (p *callersPool) ping() error {
	if p.closed {
		return errors.New("the pool is closed")
	}
	return nil
}

// decisions are what a mutant changes.
type decisions struct {
	// enter says whether a handle answers at all.
	enter func(ctx context.Context, h *handle) error
	// failed is what a try answers that was not let in.
	failed func(err error) (domain.Verdict, error)
	// now reads the clock.
	now func() domain.Instant
	// key is the name under which a row is kept.
	key func(name domain.Name) string
	// live says whether a lock is held.
	live func(lock domain.Lock, now domain.Instant) bool
	// grant makes a new row.
	grant func(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock
	// next draws the token of a new row.
	next func(name domain.Name) domain.Token
	// gap comes between the look at what stands and the write.
	gap func()
	// again answers the owner of a live lock, and refuse anybody else.
	again, refuse func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict
	// answer comes last in a try that was let in.
	answer func(verdict domain.Verdict, claim domain.Claim) (domain.Verdict, error)
	// renew decides a renewal.
	renew func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict
	// batch comes last in a batch of renewals, and saves says whether what one of them granted is written.
	batch func(answers []ports.Renewed) []ports.Renewed
	saves func(place int) bool
	// wakes says whether those who watch are told by what happened to a name: "watch", "release", "break", "withdraw" or
	// "close".
	wakes func(by string) bool
	// hears returns those of a name's watchers who are told.
	hears func(bells []chan struct{}) []chan struct{}
	// releases, withdraws, breaks and purges say whether a row goes.
	releases  func(standing domain.Lock, grant domain.Grant) bool
	withdraws func(standing domain.Lock, claim domain.Claim) bool
	breaks    func(standing domain.Lock, name domain.Name, seen domain.Token) bool
	purges    func(standing domain.Lock, age domain.Age, now domain.Instant) bool
	// covers says whether a row is listed, compare in which order, and found comes after each look.
	covers  func(prefix domain.Prefix, lock domain.Lock, now domain.Instant) bool
	compare func(a, b string) int
	found   func(sighting domain.Sighting) domain.Sighting
	// released comes after each answer to a release.
	released func(yes bool) (bool, error)
	// close ends a handle.
	close func(h *handle) error
	// transaction runs work inside a transaction of the caller.
	transaction func(work func())
}

// newStore returns a healthy store that judges by clock.
func newStore(clock *specs.Clock) *store {
	s := &store{rows: map[string]domain.Lock{}, bells: map[string][]chan struct{}{}}
	s.decisions = decisions{
		enter:  func(ctx context.Context, h *handle) error { return h.refusal(ctx) },
		failed: func(err error) (domain.Verdict, error) { return domain.Verdict{}, err },
		now:    func() domain.Instant { return domain.InstantOf(clock.Now()) },
		key:    domain.Name.String,
		live:   domain.Lock.LiveAt,
		grant:  grant,
		next:   func(domain.Name) domain.Token { return s.last + 1 },
		gap:    func() {},
		again: func(standing domain.Lock, _ domain.Claim, now domain.Instant) domain.Verdict {
			return shown(true, standing, now)
		},
		refuse: func(standing domain.Lock, _ domain.Claim, now domain.Instant) domain.Verdict {
			return shown(false, standing, now)
		},
		answer:    func(verdict domain.Verdict, _ domain.Claim) (domain.Verdict, error) { return verdict, nil },
		renew:     domain.Renew,
		batch:     func(answers []ports.Renewed) []ports.Renewed { return answers },
		saves:     func(int) bool { return true },
		wakes:     func(string) bool { return true },
		hears:     func(bells []chan struct{}) []chan struct{} { return bells },
		releases:  domain.Releases,
		withdraws: domain.Withdraws,
		breaks:    domain.Breaks,
		purges:    domain.Purges,
		covers: func(prefix domain.Prefix, lock domain.Lock, _ domain.Instant) bool {
			return prefix.Covers(lock.Name())
		},
		compare:     cmp.Compare[string],
		found:       func(sighting domain.Sighting) domain.Sighting { return sighting },
		released:    func(yes bool) (bool, error) { return yes, nil },
		close:       func(h *handle) error { h.closed = true; return nil },
		transaction: func(work func()) { work() },
	}
	return s
}

// grant returns the row that a claim becomes.
func grant(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock {
	return domain.Restore(domain.Grant{Name: claim.Name, Owner: claim.Owner, Token: token}, claim.ID, now, now.After(claim.TTL))
}

// moved returns the lock with another deadline.
func moved(lock domain.Lock, deadline domain.Instant) domain.Lock {
	return domain.Restore(lock.Grant(), lock.Claim(), lock.AcquiredAt(), deadline)
}

// shown is a verdict.
func shown(granted bool, lock domain.Lock, now domain.Instant) domain.Verdict {
	return domain.Verdict{Granted: granted, Lock: lock, At: now}
}

// put writes a row.
func (s *store) put(lock domain.Lock) { s.rows[s.key(lock.Name())] = lock }

// sweep removes every row that has lapsed.
func (s *store) sweep() {
	now := s.now()
	maps.DeleteFunc(s.rows, func(_ string, lock domain.Lock) bool { return !lock.LiveAt(now) })
}

// letOthersIn gives the store to other goroutines for a moment.
func (s *store) letOthersIn() {
	s.mu.Unlock()
	for began := time.Now(); time.Since(began) < 200*time.Microsecond; {
		runtime.Gosched()
	}
	s.mu.Lock()
}
