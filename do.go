package namedlock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// DoOption says what is rarely needed of [Locker.Do].
type DoOption func(*terms)

// terms are what the options of one Do say.
type terms struct {
	noWait          bool
	atLeast, atMost time.Duration
	invalid         error
}

// NoWait lets Do try once: when somebody else holds the lock the error is a [HeldError].
func NoWait() DoOption { return func(t *terms) { t.noWait = true } }

// AtLeast keeps the name taken until d after the grant although the work ends earlier, for a node whose clock is a little
// behind and which would do the same work again. Do does not wait for it: the lock is left to lapse then. A lock that was
// lost is not prolonged. d must be positive (L9).
func AtLeast(d time.Duration) DoOption {
	return func(t *terms) { t.atLeast = t.positive("AtLeast", d) }
}

// AtMost ends the renewing d after the grant, for work that hangs: its context ends with ErrMaxHold, and the lock lapses at
// its deadline if the work does not even then end. d must be positive (L9).
func AtMost(d time.Duration) DoOption {
	return func(t *terms) { t.atMost = t.positive("AtMost", d) }
}

// positive returns d, and remembers when it is not.
func (t *terms) positive(option string, d time.Duration) time.Duration {
	if d <= 0 {
		t.invalid = fmt.Errorf("%w: %s must be positive, not %v", ErrInvalidTTL, option, d)
	}
	return d
}

// termsOf collects what the options say.
func termsOf(options []DoOption) terms {
	var t terms
	for _, option := range options {
		option(&t)
	}
	return t
}

// Do runs work while it holds the lock name. It waits for the lock as [Locker.Lock] does, or with [NoWait] tries once; keeps
// it as [Lock.Keep] does, so that the context of the work ends before anybody else can have the lock; and releases it when
// the work is over, however it ends: with nil, an error, a panic, which goes on, or runtime.Goexit, and also when ctx has
// ended (M8). A lock is kept until the work has returned: work whose context has ended should return soon.
//
// The error of the work is returned as it is. If the lock was lost, a [LostError] is joined to it, also when the work
// returned nil: it may not have been alone. If the lock could not be given back, that is joined: the name stays taken until
// its deadline. Without the lock, work is not run, and the error is that of Lock, or a [HeldError].
//
// The same owner shares its lock (L5): give each Do that must exclude others of this process an owner of its own.
func (l *Locker) Do(ctx context.Context, name, owner string, ttl time.Duration, work func(context.Context) error, options ...DoOption) error {
	claim, err := newClaim(name, owner, ttl)
	if err != nil {
		return failed("do", name, err)
	}
	terms := termsOf(options)
	if terms.invalid != nil {
		return failed("do", name, terms.invalid)
	}
	lock, err := l.await(ctx, claim, terms)
	if err != nil {
		return failed("do", name, err)
	}
	return joined(lock.run(ctx, work, terms))
}

// await waits for the lock, or tries once.
func (l *Locker) await(ctx context.Context, claim domain.Claim, terms terms) (*Lock, error) {
	if !terms.noWait {
		return l.wait(ctx, claim)
	}
	verdict, started, err := l.acquire(ctx, claim)
	if err != nil {
		return nil, err
	}
	if !verdict.Granted {
		return nil, &HeldError{Incumbent: l.refused(claim, verdict)}
	}
	return l.grant(verdict, claim, started, started), nil
}

// run runs work while the lock is kept, and gives the lock back however work ends. It returns the error of the work and
// that of the lock.
func (k *Lock) run(ctx context.Context, work func(context.Context) error, terms terms) (done, trouble error) {
	working, kept := k.keep(ctx, terms.atMost)
	defer func() { trouble = kept.finish(ctx, terms.atLeast) }()
	return work(working), nil
}

// finish ends the keeping and gives the lock back, and returns the loss, or why the lock could not be given back.
func (k *keeping) finish(ctx context.Context, atLeast time.Duration) error {
	lost, first := k.end()
	if first {
		defer k.lock.locker.works.done()
	}
	if lost != nil {
		if mayStand(lost) {
			_, _ = k.lock.Release(ctx)
		}
		return lost
	}
	return k.lock.finish(ctx, atLeast)
}

// finish gives back a lock that was not lost as far as anybody knows. Only the store can tell that it was.
func (k *Lock) finish(ctx context.Context, atLeast time.Duration) error {
	reason := k.refusal()
	given, err := k.giveBack(ctx, atLeast)
	if err != nil || given {
		return err
	}
	lost := k.lost(reason)
	k.observe(Lost, k.answered, lost)
	return lost
}

// giveBack releases the lock, or, where it has to be held longer than it was, leaves it to lapse. It reports whether the
// grant stood.
func (k *Lock) giveBack(ctx context.Context, atLeast time.Duration) (bool, error) {
	rest := atLeast - elapsed(k.answered, k.locker.now())
	if rest <= 0 {
		return k.Release(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBound)
	defer cancel()
	stood, err := k.Renew(ctx, rest)
	if stood {
		k.end(ErrReleased)
		k.observe(Released, k.answered, nil)
	}
	return stood, err
}

// joined returns both errors as one, and a single one as it is.
func joined(done, trouble error) error {
	switch {
	case trouble == nil:
		return done
	case done == nil:
		return trouble
	}
	return errors.Join(done, trouble)
}
