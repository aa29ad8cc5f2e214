package memory

import (
	"context"
	"slices"
	"strings"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Find returns the row of the name, live or lapsed.
func (r *Repository) Find(ctx context.Context, name domain.Name) (domain.Sighting, error) {
	if err := r.enter(ctx); err != nil {
		return domain.Sighting{}, err
	}
	defer r.mu.Unlock()
	lock, found := r.locks[name]
	if !found {
		return domain.Sighting{}, nil
	}
	return domain.Sighting{Lock: lock, At: r.now()}, nil
}

// List returns one page of the rows whose names have the prefix.
func (r *Repository) List(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	defer r.mu.Unlock()
	now := r.now()
	var sightings []domain.Sighting
	for _, lock := range r.page(page, func(lock domain.Lock) bool { return prefix.Covers(lock.Name()) }) {
		sightings = append(sightings, domain.Sighting{Lock: lock, At: now})
	}
	return sightings, nil
}

// Purge removes what [domain.Purges] says, one page of it.
func (r *Repository) Purge(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
	if err := r.enter(ctx); err != nil {
		return ports.Purged{}, err
	}
	defer r.mu.Unlock()
	now := r.now()
	lapsed := r.page(page, func(lock domain.Lock) bool { return domain.Purges(lock, age, now) })
	for _, lock := range lapsed {
		delete(r.locks, lock.Name())
	}
	purged := ports.Purged{Removed: len(lapsed)}
	if n := len(lapsed); n > 0 && n == page.Limit {
		purged.Last = lapsed[n-1].Name()
	}
	return purged, nil
}

// page returns, in byte order of their names, the first rows after page.After that match.
func (r *Repository) page(page ports.Page, match func(domain.Lock) bool) []domain.Lock {
	var rows []domain.Lock
	for name, lock := range r.locks {
		if name.String() > page.After.String() && match(lock) {
			rows = append(rows, lock)
		}
	}
	slices.SortFunc(rows, func(a, b domain.Lock) int { return strings.Compare(a.Name().String(), b.Name().String()) })
	return rows[:min(len(rows), page.Limit)]
}
