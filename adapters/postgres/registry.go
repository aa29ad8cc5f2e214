package postgres

import (
	"context"
	"slices"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Find returns the row of the name, live or lapsed.
func (r *Repository) Find(ctx context.Context, name domain.Name) (domain.Sighting, error) {
	var rows []postgresdb.FindRow
	err := r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		rows, err = q.Find(ctx, postgresdb.FindParams{Now: r.now(), Name: name.String()})
		return err
	})
	if err != nil || len(rows) == 0 {
		return domain.Sighting{}, err
	}
	return domain.Sighting{Lock: restore(name, rows[0]), At: instant(rows[0].Instant)}, nil
}

// List returns one page of the rows whose names have the prefix.
func (r *Repository) List(ctx context.Context, prefix domain.Prefix, page ports.Page) ([]domain.Sighting, error) {
	from, end := prefix.Range()
	var rows []postgresdb.ListRow
	err := r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		rows, err = q.List(ctx, postgresdb.ListParams{
			Now:       r.now(),
			FromName:  from,
			EndName:   end,
			AfterName: page.After.String(),
			RowLimit:  int32(page.Limit),
		})
		return err
	})
	var sightings []domain.Sighting
	for _, row := range rows {
		lock := restore(domain.RestoreName(row.Name), postgresdb.FindRow{
			Owner: row.Owner, Token: row.Token, Claim: row.Claim, AcquiredAt: row.AcquiredAt, Deadline: row.Deadline,
		})
		sightings = append(sightings, domain.Sighting{Lock: lock, At: instant(row.Instant)})
	}
	return sightings, err
}

// Purge removes what [domain.Purges] says, one page of it, in one statement.
func (r *Repository) Purge(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
	var names []string
	err := r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		names, err = q.Purge(ctx, postgresdb.PurgeParams{
			Now:       r.now(),
			Age:       interval(age.Micros()),
			AfterName: page.After.String(),
			RowLimit:  int32(page.Limit),
		})
		return err
	})
	if err != nil {
		return ports.Purged{}, err
	}
	purged := ports.Purged{Removed: len(names)}
	if len(names) == page.Limit {
		purged.Last = domain.RestoreName(slices.Max(names))
	}
	return purged, nil
}
