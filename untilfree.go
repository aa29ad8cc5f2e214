package namedlock

import (
	"context"
	"errors"

	"github.com/alkstore/namedlock/domain"
)

// UntilFree waits until nobody holds the lock name, or ctx ends, and takes nothing. It is a look at one moment: whoever needs
// the lock asks for it by [Locker.Lock], and may find that somebody else was faster.
//
// It hears of a release as Lock does, stands in no line, and holds up nobody. Its errors are those of Lock.
func (l *Locker) UntilFree(ctx context.Context, name string) error {
	n, err := domain.NewName(name)
	if err == nil {
		err = l.waitUntilFree(ctx, n)
	}
	if err != nil {
		return failed("wait for", name, err)
	}
	return nil
}

// waitUntilFree waits, as part of what Close waits for, in a line of its own that nobody can join.
func (l *Locker) waitUntilFree(ctx context.Context, name domain.Name) error {
	if !l.works.begin() {
		return ErrClosed
	}
	defer l.works.done()
	ctx, cancel := l.whileOpen(ctx)
	defer cancel()
	q := &line{}
	defer q.endWatch()
	return l.watch(ctx, q, name)
}

// watch looks whenever it is worth while, until the name is free.
func (l *Locker) watch(ctx context.Context, q *line, name domain.Name) error {
	for {
		if err := l.lines.sleep(ctx, q, domain.Owner{}); err != nil {
			return gaveUp(ctx, q)
		}
		q.ask()
		sighting, err := l.repo.Find(ctx, name)
		switch {
		case err == nil && !sighting.Lock.LiveAt(sighting.At):
			return nil
		case err == nil:
			l.lines.learn(q, domain.Verdict{Lock: sighting.Lock, At: sighting.At})
		case ctx.Err() != nil:
			return gaveUp(ctx, q)
		case q.isNew() || errors.Is(err, ErrClosed):
			return err
		default:
			q.failures++
		}
	}
}
