package specs

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"github.com/alkstore/namedlock/ports"
)

// Store is a store under test, and what the specs need to know of it. Only Repository and one of Clock and Age are
// required; where another field is left out, the specs that need it are skipped.
type Store struct {
	// Repository is the handle that most things are done through.
	Repository ports.Repository

	// Rival is another way to the same data: another handle, another pool, another process. The second party of a spec
	// always uses it. It may be the same as Repository, and is when it is nil; the two are compared, so let them be pointers.
	Rival ports.Repository

	// Clock is the clock that was injected into both handles. It is nil when the store judges by a clock of its own.
	Clock *Clock

	// Age lets time pass for a store that judges by a clock of its own: it makes every row d older, by moving the instants
	// in it back. It must be safe for concurrent use.
	Age func(ctx context.Context, d time.Duration)

	// Transaction runs work while a transaction of the caller is open on what the adapter was given, after a read in that
	// transaction, and then rolls it back (L12).
	Transaction func(ctx context.Context, work func())

	// ConnectionsInUse returns how many connections of the pool that the adapter was given are handed out (M9).
	ConnectionsInUse func() int

	// Ping returns nil when what the adapter was given, a pool or a handle, still works (M10).
	Ping func(ctx context.Context) error
}

// Factory opens a fresh, empty store. It is called before each spec, and cleans up by DeferCleanup. The specs close
// Repository now and then; closing twice is fine (L11).
type Factory func(ctx SpecContext) Store

// Advance lets d pass for the store, without waiting.
func (s Store) Advance(ctx context.Context, d time.Duration) {
	if s.Clock != nil {
		s.Clock.Advance(d)
		return
	}
	s.Age(ctx, d)
}
