package namedlock

import (
	"context"
	"errors"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Renew gives the lock a full window of ttl from now: not added to what is left, and shorter than it if ttl is (L6). It
// reports false, without an error, when the grant is over: lapsed, even if nobody took the name; released, broken, or
// taken over (L7, M1). A false is final: acquire anew.
//
// A ttl that is not positive is ErrInvalidTTL; the lock is left as it is (L9). After any other error the renewal may or
// may not have been carried out, and Remaining counts on the less of the two. The call lasts no longer than ctx. Renewals
// of one handle are sent one after the other.
func (k *Lock) Renew(ctx context.Context, ttl time.Duration) (bool, error) {
	window, err := domain.NewTTL(ttl)
	if err != nil {
		return false, failed("renew", k.Name(), err)
	}
	renewed, err := k.renewInTurn(ctx, window)
	if err != nil {
		return false, failed("renew", k.Name(), err)
	}
	return renewed, nil
}

// renewInTurn renews when no other renewal of the handle is under way, so that the answers come in the order of the
// decisions: neither the store's instants nor the order of arrival would tell it.
func (k *Lock) renewInTurn(ctx context.Context, ttl domain.TTL) (bool, error) {
	select {
	case k.turns() <- struct{}{}:
		defer k.endTurn()
	case <-ctx.Done():
		return false, ports.NoEffect(ctx.Err())
	}
	started := k.locker.now()
	verdict, err := k.locker.repo.Renew(ctx, k.grant, ttl)
	k.answer(verdict, err, ttl, started)
	return verdict.Granted && err == nil, err
}

// answer keeps what a renewal brought, and tells the observer.
func (k *Lock) answer(verdict domain.Verdict, err error, ttl domain.TTL, started time.Time) {
	switch {
	case err != nil:
		k.doubt(err, tenure{since: cut(started), window: ttl.Duration()})
		k.observe(RenewalFailed, started, err)
	case verdict.Granted:
		k.prolong(verdict, started)
		k.observe(Renewed, started, nil)
	default:
		k.end(k.refusal())
	}
}

// refusal returns why the store refuses to renew: somebody else ended the grant, unless its time is up here too.
func (k *Lock) refusal() error {
	if left, over := k.standing(k.locker.now()); left > 0 || over != nil {
		return ErrTaken
	}
	return ErrLapsed
}

// beginTurn takes the turn if no renewal is under way, and reports whether it did.
func (k *Lock) beginTurn() bool {
	select {
	case k.turns() <- struct{}{}:
		return true
	default:
		return false
	}
}

// endTurn lets the next renewal begin.
func (k *Lock) endTurn() { <-k.turns() }

// turns returns what the renewal under way holds.
func (k *Lock) turns() chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.turn == nil {
		k.turn = make(chan struct{}, 1)
	}
	return k.turn
}

// prolong keeps what a granted renewal brought.
func (k *Lock) prolong(verdict domain.Verdict, started time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.deadline, k.tenure = verdict.Lock.Deadline(), tenureOf(verdict, started)
}

// doubt keeps the shorter of what was known and what a renewal without an answer may have made of it.
func (k *Lock) doubt(err error, possible tenure) {
	if errors.Is(err, ports.ErrNoEffect) {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.locker.now()
	if possible.left(now) < k.tenure.left(now) {
		k.tenure = possible
	}
}
