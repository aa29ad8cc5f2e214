package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// RenewBatch decides each as [domain.Renew] does, in one statement and at one instant. A grant that is asked for more than
// once takes a statement for each time: one statement changes a row once.
func (r *Repository) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	answers := make([]ports.Renewed, len(renewals))
	places := make([]int, len(renewals))
	for i := range places {
		places[i] = i
	}
	for len(places) > 0 {
		now, later := distinct(renewals, places)
		if err := r.renew(ctx, renewals, now, answers); err != nil {
			return nil, err
		}
		places = later
	}
	return answers, nil
}

// distinct parts the places of renewals into the first of each grant, and the others.
func distinct(renewals []ports.Renewal, places []int) (first, others []int) {
	seen := make(map[domain.Grant]bool, len(places))
	for _, place := range places {
		if grant := renewals[place].Grant; seen[grant] {
			others = append(others, place)
		} else {
			seen[grant] = true
			first = append(first, place)
		}
	}
	return first, others
}

// renew asks for the renewals at the places, no two of one grant, and puts the answers there. What the statement does not
// show is refused.
func (r *Repository) renew(ctx context.Context, renewals []ports.Renewal, places []int, answers []ports.Renewed) error {
	var rows []postgresdb.RenewBatchRow
	err := r.ask(ctx, func(q *postgresdb.Queries) (err error) {
		rows, err = q.RenewBatch(ctx, r.batch(renewals, places))
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		place := places[row.Place-1]
		answers[place] = renewed(renewals[place].Grant, row)
	}
	return nil
}

// batch returns the parameters of the statement.
func (r *Repository) batch(renewals []ports.Renewal, places []int) postgresdb.RenewBatchParams {
	batch := postgresdb.RenewBatchParams{
		Now:    r.now(),
		Names:  make([]string, len(places)),
		Owners: make([]string, len(places)),
		Tokens: make([]int64, len(places)),
		Ttls:   make([]pgtype.Interval, len(places)),
	}
	for i, place := range places {
		grant := renewals[place].Grant
		batch.Names[i], batch.Owners[i], batch.Tokens[i] = grant.Name.String(), grant.Owner.String(), int64(grant.Token)
		batch.Ttls[i] = interval(renewals[place].TTL.Micros())
	}
	return batch
}

// renewed returns what a row of the answer says.
func renewed(grant domain.Grant, row postgresdb.RenewBatchRow) ports.Renewed {
	if row.Undecided {
		return ports.Renewed{Undecided: true}
	}
	lock := domain.Restore(grant, domain.ClaimID(row.Claim), instant(row.AcquiredAt), instant(row.Deadline))
	return ports.Renewed{Verdict: domain.Verdict{Granted: true, Lock: lock, At: instant(row.Instant)}}
}
