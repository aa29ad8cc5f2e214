package selftest

import (
	"context"
	"slices"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// handle is one of several handles of a store.
type handle struct {
	*store
	closed bool
}

var (
	_ ports.Repository   = (*handle)(nil)
	_ ports.BatchRenewer = (*handle)(nil)
	_ ports.Waker        = (*handle)(nil)
)

// refusal says why a handle does not answer.
func (h *handle) refusal(ctx context.Context) error {
	if h.closed {
		return domain.ErrClosed
	}
	if cause := ctx.Err(); cause != nil {
		return ports.NoEffect(cause)
	}
	return nil
}

// begin locks the store, unless the handle does not answer.
func (h *handle) begin(ctx context.Context) error {
	h.mu.Lock()
	err := h.enter(ctx, h)
	if err != nil {
		h.mu.Unlock()
	}
	return err
}

func (h *handle) Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error) {
	if err := h.begin(ctx); err != nil {
		return h.failed(err)
	}
	defer h.mu.Unlock()
	return h.answer(h.decide(claim), claim)
}

func (h *handle) decide(claim domain.Claim) domain.Verdict {
	standing, now := h.rows[h.key(claim.Name)], h.now()
	switch {
	case !h.live(standing, now):
		return h.take(claim, now)
	case standing.Owner() == claim.Owner:
		return h.again(standing, claim, now)
	default:
		return h.refuse(standing, claim, now)
	}
}

// take writes a new row.
func (h *handle) take(claim domain.Claim, now domain.Instant) domain.Verdict {
	h.gap()
	token := h.next(claim.Name)
	h.last = max(h.last, token)
	lock := h.grant(claim, token, now)
	h.rows[h.key(claim.Name)] = lock
	return shown(true, lock, now)
}

func (h *handle) Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error) {
	if err := h.begin(ctx); err != nil {
		return domain.Verdict{}, err
	}
	defer h.mu.Unlock()
	key := h.key(grant.Name)
	verdict := h.renew(h.rows[key], grant, ttl, h.now())
	if verdict.Granted {
		h.rows[key] = verdict.Lock
	}
	return verdict, nil
}

func (h *handle) Release(ctx context.Context, grant domain.Grant) (bool, error) {
	yes, err := h.remove(ctx, "release", grant.Name, func(standing domain.Lock) bool { return h.releases(standing, grant) })
	if err != nil {
		return false, err
	}
	return h.released(yes)
}

func (h *handle) Withdraw(ctx context.Context, claim domain.Claim) (bool, error) {
	return h.remove(ctx, "withdraw", claim.Name, func(standing domain.Lock) bool { return h.withdraws(standing, claim) })
}

func (h *handle) Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error) {
	return h.remove(ctx, "break", name, func(standing domain.Lock) bool { return h.breaks(standing, name, seen) })
}

// remove deletes the row of name if the rule says so, and tells those who watch.
func (h *handle) remove(ctx context.Context, by string, name domain.Name, rule func(domain.Lock) bool) (bool, error) {
	if err := h.begin(ctx); err != nil {
		return false, err
	}
	defer h.mu.Unlock()
	standing, found := h.rows[h.key(name)]
	if !found || !rule(standing) {
		return false, nil
	}
	delete(h.rows, h.key(name))
	h.ring(by, name)
	return true, nil
}

func (h *handle) Find(ctx context.Context, name domain.Name) (domain.Sighting, error) {
	if err := h.begin(ctx); err != nil {
		return domain.Sighting{}, err
	}
	defer h.mu.Unlock()
	standing, found := h.rows[h.key(name)]
	if !found {
		return domain.Sighting{}, nil
	}
	return h.found(domain.Sighting{Lock: standing, At: h.now()}), nil
}

func (h *handle) List(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
	if err := h.begin(ctx); err != nil {
		return nil, err
	}
	defer h.mu.Unlock()
	now := h.now()
	var sightings []domain.Sighting
	for _, lock := range h.page(page, func(lock domain.Lock) bool { return h.covers(prefix, lock, now) }) {
		sightings = append(sightings, domain.Sighting{Lock: lock, At: now})
	}
	return sightings, nil
}

func (h *handle) Purge(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
	if err := h.begin(ctx); err != nil {
		return ports.Purged{}, err
	}
	defer h.mu.Unlock()
	now := h.now()
	gone := h.page(page, func(lock domain.Lock) bool { return h.purges(lock, age, now) })
	for _, lock := range gone {
		delete(h.rows, h.key(lock.Name()))
	}
	if len(gone) < page.Limit {
		return ports.Purged{Removed: len(gone)}, nil
	}
	return ports.Purged{Removed: len(gone), Last: gone[len(gone)-1].Name()}, nil
}

// page returns the first rows after page.After that match, in order.
func (h *handle) page(page ports.Page, match func(domain.Lock) bool) []domain.Lock {
	var rows []domain.Lock
	for _, lock := range h.rows {
		if h.compare(lock.Name().String(), page.After.String()) > 0 && match(lock) {
			rows = append(rows, lock)
		}
	}
	slices.SortFunc(rows, func(a, b domain.Lock) int { return h.compare(a.Name().String(), b.Name().String()) })
	return rows[:min(len(rows), page.Limit)]
}

func (h *handle) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.bells {
		h.ring("close", domain.RestoreName(name))
	}
	return h.close(h)
}
