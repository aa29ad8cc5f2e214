package ports

import (
	"context"

	"github.com/alkstore/namedlock/domain"
)

// Repository keeps locks. Each method is one atomic decision: it happens as if alone, at one instant of the store's
// clock, whatever other goroutines, processes and machines ask at the same time. The decisions themselves are functions
// of package domain; an adapter gives their answers.
//
// For every method:
//
//   - It is safe for concurrent use, and keeps nothing of a connection once it has returned (M9).
//   - After Close it returns [domain.ErrClosed] and does nothing (L11). A context that has already ended is next:
//     an error that is [ErrNoEffect].
//   - Contention is an answer or a wait, never an error (L2). A store that cannot answer is an error that is
//     [domain.ErrDatabase] with the driver's own in its chain, never an answer.
//   - It waits no longer than the context lives. An error from Acquire or Renew may leave the outcome unknown: see
//     Withdraw.
type Repository interface {
	// Acquire decides as [domain.Acquire] does. Among concurrent calls for one name by different owners, at most one is
	// granted (L1). A refusal carries the incumbent, live at Verdict.At (M6), and writes nothing. A grant is reported
	// because the row was read back and is the asker's (L14); its token is larger than that of every earlier grant of the
	// name, also when rows were removed since and when a rival overtakes between draw and insert (M2).
	Acquire(ctx context.Context, claim domain.Claim) (domain.Verdict, error)

	// Renew decides as [domain.Renew] does, at an instant read after every wait: a renewal that waited beyond the deadline
	// is refused (L7, M3). It never inserts and never revives.
	Renew(ctx context.Context, grant domain.Grant, ttl domain.TTL) (domain.Verdict, error)

	// Release removes the row of this very grant, live or lapsed, and reports whether this call did (L8, M1). Of
	// concurrent releases of one grant exactly one reports true.
	Release(ctx context.Context, grant domain.Grant) (bool, error)

	// Withdraw takes back what this very claim was granted and reports whether there was something to take (M8). It is
	// called when Acquire gave no answer, and waits for such a call where the store can still be busy with it. A grant
	// that the same owner got by another call stays.
	Withdraw(ctx context.Context, claim domain.Claim) (bool, error)

	// Find returns the row of the name, live or lapsed, or the zero Sighting.
	Find(ctx context.Context, name domain.Name) (domain.Sighting, error)

	// List returns one page of the rows whose names have the prefix, live and lapsed, in byte order of their names.
	List(ctx context.Context, prefix domain.Prefix, page Page) ([]domain.Sighting, error)

	// Break removes the row with this name and token, whoever owns it and whether live or lapsed, and reports whether this
	// call did. Tokens do not go back after it (M2).
	Break(ctx context.Context, name domain.Name, seen domain.Token) (bool, error)

	// Purge removes, of the rows that lapsed at least age ago, those on one page. It never removes a live row, waits for no
	// row that somebody else is busy with, and does not make tokens go back (M2).
	Purge(ctx context.Context, age domain.Age, page Page) (Purged, error)

	// Close ends the repository and what it opened itself, never what it was given (M10). Closing twice is fine.
	Close() error
}

// Page asks for at most Limit rows, by byte order of their names, that come after the name After. The zero After is the
// beginning.
type Page struct {
	After domain.Name
	Limit int
}

// Purged tells what one page of a purge did.
type Purged struct {
	// Removed is how many rows are gone.
	Removed int
	// Last is the last name that the page looked at; the next page begins after it. The zero Name means that nothing is
	// left to look at.
	Last domain.Name
}
