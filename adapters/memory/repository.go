package memory

import (
	"context"
	"sync"

	"github.com/alkstore/namedlock/adapters/internal/bell"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Repository is a [ports.Repository] in memory. Make one with [New]. It is safe for concurrent use.
type Repository struct {
	clock ports.Clock
	board bell.Board

	mu     sync.Mutex
	locks  map[domain.Name]domain.Lock
	last   domain.Token
	closed bool
}

var (
	_ ports.Repository   = (*Repository)(nil)
	_ ports.Waker        = (*Repository)(nil)
	_ ports.BatchRenewer = (*Repository)(nil)
)

// New returns an empty Repository that judges by clock. A nil clock is the clock of this machine.
func New(clock ports.Clock) *Repository {
	if clock == nil {
		clock = ports.SystemClock{}
	}
	return &Repository{clock: clock, locks: map[domain.Name]domain.Lock{}}
}

// enter begins a decision: it locks the state, unless the store is closed or the context has ended. After a nil error the
// caller unlocks.
func (r *Repository) enter(ctx context.Context) error {
	r.mu.Lock()
	err := r.refusal(ctx)
	if err != nil {
		r.mu.Unlock()
	}
	return err
}

// refusal says why no decision can be made now.
func (r *Repository) refusal(ctx context.Context) error {
	if r.closed {
		return domain.ErrClosed
	}
	if cause := ctx.Err(); cause != nil {
		return ports.NoEffect(cause)
	}
	return nil
}

// now reads the clock, once for each decision and while the state is locked (L15, M3).
func (r *Repository) now() domain.Instant { return domain.InstantOf(r.clock.Now()) }

// Close forgets every lock. Later operations return domain.ErrClosed (L11).
func (r *Repository) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.locks = nil
	r.board.RingAll()
	return nil
}
