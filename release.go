package namedlock

import (
	"context"
	"time"
)

// releaseBound is how long a release may take.
const releaseBound = 10 * time.Second

// Release gives the lock back and reports whether this call did: true when it removed this grant's row, also a lapsed one
// that nobody took; false, without an error, when there is no such row any more, because it was released before, broken,
// or taken over (L8, M1). The answer comes from the store each time, so releasing twice, or from several goroutines, is
// safe, and exactly one of them reports true. It is fine to defer it. Keeping the lock ends first: no renewal begins after
// Release has begun.
//
// It works although ctx has been cancelled or is cancelled meanwhile: a lock must not stay for its whole ttl because a
// request was given up (M8). Of ctx only the values are used; the call takes ten seconds at most, and then fails with
// ErrDatabase. A lock whose release failed lapses at its deadline.
func (k *Lock) Release(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseBound)
	defer cancel()
	k.end(ErrReleased)
	k.locker.lines.free(k.grant)
	released, err := k.locker.repo.Release(ctx, k.grant)
	if err != nil {
		k.observe(ReleaseFailed, k.answered, err)
		return false, failed("release", k.Name(), err)
	}
	if released {
		k.observe(Released, k.answered, nil)
	}
	return released, nil
}

// end makes Remaining zero and ends keeping: whoever releases counts on the lock no longer, whatever the store answers. The
// first reason stands.
func (k *Lock) end(reason error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.over == nil {
		k.over = reason
	}
	if k.kept > 0 {
		k.locker.keeper.hasten()
	}
}
