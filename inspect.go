package namedlock

import (
	"context"
	"iter"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// listPage is how many rows a listing reads at a time.
const listPage = 500

// Find returns the entry of name, live or lapsed, and whether there is one. A lapsed entry stays until the name is
// acquired, its own holder releases it, or it is purged (L3). An invalid name is ErrInvalidName or ErrReservedName.
func (l *Locker) Find(ctx context.Context, name string) (Entry, bool, error) {
	n, err := domain.NewName(name)
	if err != nil {
		return Entry{}, false, failed("find", name, err)
	}
	sighting, err := l.repo.Find(ctx, n)
	if err != nil {
		return Entry{}, false, failed("find", name, err)
	}
	if !sighting.Lock.Exists() {
		return Entry{}, false, nil
	}
	return entryOf(sighting), true, nil
}

// List yields the entries whose names begin with prefix, live and lapsed, in byte order of their names; an empty prefix is
// every name. It reads the store page by page while the loop runs, so a long list is not one moment: each entry carries
// the instant at which it was seen. The first error is yielded last, with no entry.
func (l *Locker) List(ctx context.Context, prefix string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		p, err := domain.NewPrefix(prefix)
		if err != nil {
			yield(Entry{}, failed("list", prefix, err))
			return
		}
		page := ports.Page{Limit: listPage}
		for {
			sightings, err := l.repo.List(ctx, p, page)
			if err != nil {
				yield(Entry{}, failed("list", prefix, err))
				return
			}
			for _, sighting := range sightings {
				if !yield(entryOf(sighting), nil) {
					return
				}
				page.After = sighting.Lock.Name()
			}
			if len(sightings) < page.Limit {
				return
			}
		}
	}
}
