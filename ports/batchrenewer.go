package ports

import (
	"context"

	"github.com/alkstore/namedlock/domain"
)

// BatchRenewer is an optional port of a [Repository]: many renewals for the price of one. A repository without it is asked
// for each.
type BatchRenewer interface {
	// RenewBatch decides each renewal as [Repository.Renew] does, and answers them in their order. It waits for no row that
	// somebody else is busy with, so that one name does not hold up the others: such a renewal is Undecided. What is asked
	// twice in a batch is answered twice. The batch is one change: after an error each of its renewals may or may not have
	// been carried out, unless the error is [ErrNoEffect]. An empty batch asks nothing.
	RenewBatch(ctx context.Context, renewals []Renewal) ([]Renewed, error)
}

// Renewal is a wish to prolong a grant.
type Renewal struct {
	Grant domain.Grant
	TTL   domain.TTL
}

// Renewed is the answer to one renewal of a batch.
type Renewed struct {
	// Verdict is what was decided; the zero Verdict refuses.
	Verdict domain.Verdict
	// Undecided is set when nothing was decided and nothing changed, because somebody else is busy with the row. Ask again.
	Undecided bool
}
