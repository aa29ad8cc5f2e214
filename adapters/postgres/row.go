package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
)

// now returns the reading of the injected clock, and NULL where the server's own clock judges.
func (r *Repository) now() pgtype.Timestamptz {
	if r.clock == nil {
		return pgtype.Timestamptz{}
	}
	return pgtype.Timestamptz{Time: domain.InstantOf(r.clock.Now()).Time(), Valid: true}
}

// interval returns a span of time as Postgres keeps it, exact to the microsecond.
func interval(micros int64) pgtype.Interval {
	return pgtype.Interval{Microseconds: micros, Valid: true}
}

// instant returns what a row says about a point in time.
func instant(t pgtype.Timestamptz) domain.Instant { return domain.InstantOf(t.Time) }

// restore makes a lock of what was read.
func restore(name domain.Name, row postgresdb.FindRow) domain.Lock {
	return domain.Restore(
		domain.Grant{Name: name, Owner: domain.RestoreOwner(row.Owner), Token: domain.Token(row.Token)},
		domain.ClaimID(row.Claim),
		instant(row.AcquiredAt),
		instant(row.Deadline),
	)
}
