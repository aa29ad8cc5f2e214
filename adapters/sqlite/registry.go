package sqlite

import (
	"context"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Find returns the row of the name, live or lapsed.
func (r *Repository) Find(ctx context.Context, name domain.Name) (domain.Sighting, error) {
	if err := r.enter(ctx); err != nil {
		return domain.Sighting{}, err
	}
	lock, err := read(ctx, r.handle, func(q *sqlitedb.Queries) (domain.Lock, error) { return find(q, name) })
	if err != nil || !lock.Exists() {
		return domain.Sighting{}, err
	}
	return domain.Sighting{Lock: lock, At: r.now()}, nil
}

// List returns one page of the rows whose names have the prefix.
func (r *Repository) List(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	from, end := prefix.Range()
	rows, err := read(ctx, r.handle, func(q *sqlitedb.Queries) ([]sqlitedb.ListRow, error) {
		return q.List(context.Background(), sqlitedb.ListParams{
			FromName:  from,
			EndName:   end,
			AfterName: page.After.String(),
			RowLimit:  int64(page.Limit),
		})
	})
	now := r.now()
	var sightings []domain.Sighting
	for _, row := range rows {
		lock := restore(domain.RestoreName(row.Name), sqlitedb.FindRow{
			Owner: row.Owner, Token: row.Token, Claim: row.Claim, AcquiredAt: row.AcquiredAt, Deadline: row.Deadline,
		})
		sightings = append(sightings, domain.Sighting{Lock: lock, At: now})
	}
	return sightings, err
}

// find returns the row of the name, or the zero Lock.
func find(q *sqlitedb.Queries, name domain.Name) (domain.Lock, error) {
	rows, err := q.Find(context.Background(), name.String())
	if err != nil || len(rows) == 0 {
		return domain.Lock{}, err
	}
	return restore(name, rows[0]), nil
}

// restore makes a lock of what was read.
func restore(name domain.Name, row sqlitedb.FindRow) domain.Lock {
	return domain.Restore(
		domain.Grant{Name: name, Owner: domain.RestoreOwner(row.Owner), Token: domain.Token(row.Token)},
		domain.ClaimID(row.Claim),
		domain.Instant(row.AcquiredAt),
		domain.Instant(row.Deadline),
	)
}
