package namedlock

import (
	"context"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Renew gives the lock a full window of ttl from now: not added to what is left, and shorter than it if ttl is (L6). It
// reports false, without an error, when the grant is over: lapsed, even if nobody took the name; released, broken, or
// taken over (L7, M1). A false is final: acquire anew.
//
// A ttl that is not positive is ErrInvalidTTL; the lock is left as it is (L9). After any other error the renewal may or
// may not have been carried out, and Remaining counts on the less of the two. The call lasts no longer than ctx. Concurrent
// renewals of one handle are carried out one after the other; the last in the store decides.
func (k *Lock) Renew(ctx context.Context, ttl time.Duration) (bool, error) {
	window, err := domain.NewTTL(ttl)
	if err != nil {
		return false, failed("renew", k.Name(), err)
	}
	started := k.locker.now()
	verdict, err := k.locker.repo.Renew(ctx, k.grant, window)
	if err != nil {
		k.doubt(tenure{since: started, window: window.Duration()})
		return false, failed("renew", k.Name(), err)
	}
	k.learn(verdict, started)
	return verdict.Granted, nil
}

// learn keeps what a renewal brought. Answers of concurrent renewals may come in any order: the store's instants tell
// which decision is the newest, and at one instant the earlier deadline is the safe one.
func (k *Lock) learn(verdict domain.Verdict, started time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !verdict.Granted {
		k.over = true
		return
	}
	deadline := verdict.Lock.Deadline()
	if verdict.At < k.decided || verdict.At == k.decided && deadline > k.deadline {
		return
	}
	k.deadline, k.decided, k.tenure = deadline, verdict.At, tenureOf(verdict, started)
}

// doubt keeps the shorter of what was known and what a renewal without an answer may have made of it.
func (k *Lock) doubt(possible tenure) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.locker.now()
	if possible.left(now) < k.tenure.left(now) {
		k.tenure = possible
	}
}
