package namedlock

import (
	"context"
	"fmt"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// purgePage is how many rows a purge removes at a time.
const purgePage = 1000

// Break ends the grant that an operator has seen, whoever holds it, and reports whether this call did. The token makes
// sure that it is that grant: when the name was granted anew meanwhile, nothing happens and the answer is false. The
// broken holder hears of it at its next renewal, which is refused (L7): until then, and until its local deadline, it may
// go on working beside the next holder. The token of the next grant is larger all the same (M2).
func (l *Locker) Break(ctx context.Context, name string, token Token) (bool, error) {
	n, err := domain.NewName(name)
	if err != nil {
		return false, failed("break", name, err)
	}
	broken, err := l.repo.Break(ctx, n, token)
	if err != nil {
		return false, failed("break", name, err)
	}
	return broken, nil
}

// Purge removes the rows of locks that lapsed at least lapsedFor ago, and returns how many. It never removes a live lock,
// works in batches that do not hold up others, and does not make tokens go back (M2). A negative lapsedFor is
// ErrInvalidTTL. When it fails, or ctx ends, what was counted is gone and the rest is still there.
//
// Nothing calls it by itself: a lapsed row costs a few bytes and is taken over by the next asker of its name. Call it
// now and then where names are used once.
func (l *Locker) Purge(ctx context.Context, lapsedFor time.Duration) (int, error) {
	age, err := domain.NewAge(lapsedFor)
	if err != nil {
		return 0, fmt.Errorf("namedlock: purge: %w", err)
	}
	removed := 0
	for page := (ports.Page{Limit: purgePage}); ; {
		purged, err := l.repo.Purge(ctx, age, page)
		removed += purged.Removed
		if err != nil {
			return removed, fmt.Errorf("namedlock: purge: %w", err)
		}
		if purged.Last == (domain.Name{}) {
			return removed, nil
		}
		page.After = purged.Last
	}
}
