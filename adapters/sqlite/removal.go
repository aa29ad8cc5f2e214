package sqlite

import (
	"context"
	"encoding/json"

	"github.com/alkstore/namedlock/adapters/sqlite/internal/sqlitedb"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Release decides as [domain.Releases] does.
func (r *Repository) Release(ctx context.Context, grant domain.Grant) (bool, error) {
	return r.free(ctx, grant.Name, func(tx transaction) (int64, error) {
		return tx.Release(context.Background(), sqlitedb.ReleaseParams{
			Name:  grant.Name.String(),
			Owner: grant.Owner.String(),
			Token: int64(grant.Token),
		})
	})
}

// Withdraw decides as [domain.Withdraws] does. No call is ever under way here: an Acquire that failed has ended, and
// mostly left nothing, so that a look comes first.
func (r *Repository) Withdraw(ctx context.Context, claim domain.Claim) (bool, error) {
	sighting, err := r.Find(ctx, claim.Name)
	if err != nil || !domain.Withdraws(sighting.Lock, claim) {
		return false, err
	}
	return r.free(ctx, claim.Name, func(tx transaction) (int64, error) {
		return tx.Withdraw(context.Background(), sqlitedb.WithdrawParams{
			Name:  claim.Name.String(),
			Owner: claim.Owner.String(),
			Claim: int64(claim.ID),
		})
	})
}

// Break decides as [domain.Breaks] does.
func (r *Repository) Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error) {
	return r.free(ctx, name, func(tx transaction) (int64, error) {
		return tx.BreakGrant(context.Background(), sqlitedb.BreakGrantParams{Name: name.String(), Token: int64(seen)})
	})
}

// Purge removes what [domain.Purges] says, one page of it. The long look for lapsed rows does not hold up the writer.
func (r *Repository) Purge(ctx context.Context, age domain.Age, page ports.Page) (ports.Purged, error) {
	if err := r.enter(ctx); err != nil {
		return ports.Purged{}, err
	}
	before := r.now().Ago(age).Micros()
	names, err := r.lapsed(ctx, before, page)
	if err != nil || len(names) == 0 {
		return ports.Purged{}, err
	}
	list, err := json.Marshal(names)
	if err != nil {
		return ports.Purged{}, domain.DatabaseError(err)
	}
	removed, err := r.remove(ctx, func(tx transaction) (int64, error) {
		return tx.Purge(context.Background(), sqlitedb.PurgeParams{LapsedBefore: before, Names: string(list)})
	})
	purged := ports.Purged{Removed: int(removed)}
	if len(names) == page.Limit {
		purged.Last = domain.RestoreName(names[len(names)-1])
	}
	return purged, err
}

// lapsed returns the names on one page whose locks had lapsed by the instant before.
func (r *Repository) lapsed(ctx context.Context, before int64, page ports.Page) ([]string, error) {
	return read(ctx, r.handle, func(q *sqlitedb.Queries) ([]string, error) {
		return q.ListLapsed(context.Background(), sqlitedb.ListLapsedParams{
			AfterName:    page.After.String(),
			LapsedBefore: before,
			RowLimit:     int64(page.Limit),
		})
	})
}

// free runs a removal of one name's row, tells those of this process who wait for it, and reports whether it went.
func (r *Repository) free(ctx context.Context, name domain.Name, removal func(transaction) (int64, error)) (bool, error) {
	removed, err := r.remove(ctx, removal)
	if removed > 0 {
		r.lookout.board.Ring(name)
	}
	return removed > 0, err
}

// remove runs a removal as one write transaction and returns how many rows it took.
func (r *Repository) remove(ctx context.Context, removal func(transaction) (int64, error)) (int64, error) {
	if err := r.enter(ctx); err != nil {
		return 0, err
	}
	var removed int64
	err := r.write(ctx, func(tx transaction) (err error) {
		removed, err = removal(tx)
		return err
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}
