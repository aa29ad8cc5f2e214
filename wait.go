package namedlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Lock waits until the lock name is granted or ctx ends. The input, what a grant is, and what is taken back after a lost
// answer are as for [Locker.TryLock]. There is no deadline but that of ctx.
//
// Who waits in one process for one name stands in line, in order of arrival, and only the first asks the store; whoever
// gives up leaves nothing behind and takes nothing later. Between processes there is no order. The first of a line sleeps
// until the incumbent's deadline at the latest, is woken by a release where the store can tell (ports.Waker), and looks
// about once a second in any case. The owner that holds the lock already shares it at once (L5) and does not queue behind
// those who wait for it.
//
// An end of ctx is returned as such within moments, with the last incumbent as a [HeldError] in the chain. When the store had
// left the last try unanswered for half a second by then, ErrDatabase is in the chain instead: nobody knows whether the lock
// is held (L2). A store that does not answer the first try of a line is an error at once; later failures are waited out, as
// the store has shown that it can answer. After Close the error is ErrClosed.
func (l *Locker) Lock(ctx context.Context, name, owner string, ttl time.Duration) (*Lock, error) {
	claim, err := newClaim(name, owner, ttl)
	if err != nil {
		return nil, failed("lock", name, err)
	}
	lock, err := l.wait(ctx, claim)
	if err != nil {
		return nil, failed("lock", name, err)
	}
	return lock, nil
}

// wait waits until the claim is granted, as part of what Close waits for.
func (l *Locker) wait(ctx context.Context, claim domain.Claim) (*Lock, error) {
	if !l.works.begin() {
		return nil, ErrClosed
	}
	defer l.works.done()
	ctx, cancel := l.whileOpen(ctx)
	defer cancel()
	began := l.now()
	if l.lines.isHeldBy(claim.Name, claim.Owner) {
		verdict, started, err := l.acquire(ctx, claim)
		if err == nil && verdict.Granted {
			return l.grant(verdict, claim, started, began), nil
		}
	}
	q, err := l.lines.enter(ctx, claim.Name)
	if err != nil {
		return nil, gaveUp(ctx, nil)
	}
	defer l.lines.leave(claim.Name, q)
	return l.ask(ctx, q, claim, began)
}

// ask asks for the claim, as the first of its line, whenever it is worth while, until it is granted.
func (l *Locker) ask(ctx context.Context, q *line, claim domain.Claim, began time.Time) (*Lock, error) {
	told := false
	for {
		if err := l.lines.sleep(ctx, q, claim.Owner); err != nil {
			return nil, gaveUp(ctx, q)
		}
		claim.ID = newClaimID()
		q.ask()
		verdict, started, err := l.acquire(ctx, claim)
		switch {
		case err == nil && verdict.Granted:
			l.lines.learn(q, verdict)
			return l.grant(verdict, claim, started, began), nil
		case err == nil:
			l.lines.learn(q, verdict)
			if !told {
				l.refused(claim, verdict)
				told = true
			}
		case ctx.Err() != nil:
			return nil, gaveUp(ctx, q)
		case q.isNew() || errors.Is(err, ErrClosed):
			return nil, err
		default:
			q.failures++
		}
	}
}

// gaveUp tells that a wait ended in vain: why, and who was in the way.
func gaveUp(ctx context.Context, q *line) error {
	err := context.Cause(ctx)
	if ended := ctx.Err(); !errors.Is(err, ended) && !errors.Is(err, ErrClosed) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	switch {
	case q == nil:
		return err
	case q.silence() > 0:
		return fmt.Errorf("%w, while %w", err, silent(q.silence()))
	case q.isNew():
		return err
	}
	return fmt.Errorf("%w, while it was %w", err, heldError(q.verdict))
}

// silent tells that the store did not answer any more: what it had said before is no refusal (L2).
func silent(silence time.Duration) error {
	return domain.DatabaseError(fmt.Errorf("the store has not answered for %v", silence.Round(time.Millisecond)))
}

// heldError shows the incumbent of a verdict.
func heldError(verdict domain.Verdict) *HeldError {
	return &HeldError{Incumbent: entryOf(domain.Sighting{Lock: verdict.Lock, At: verdict.At})}
}
