//go:build wireinject

package namedlock

import (
	"github.com/google/wire"

	"github.com/alkstore/namedlock/adapters/memory"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

// The sets that a consumer builds injectors of, one for each store. Wire sees this file; a shipped build does not, so that
// importing this package links no driver. Whoever names one set gets one adapter.

// MemorySet provides a *Locker in memory. It needs a ports.Clock.
var MemorySet = wire.NewSet(memory.Set, ProvideLocker)

// SQLiteSet provides a *Locker in a SQLite file that it opens. It needs a context.Context, a sqlite.Path and a ports.Clock.
var SQLiteSet = wire.NewSet(sqlite.OpenSet, ProvideLocker)

// SQLiteHandleSet provides a *Locker on the consumer's own database. It needs a context.Context, a *sql.DB and a ports.Clock.
var SQLiteHandleSet = wire.NewSet(sqlite.Set, ProvideLocker)

// PostgresSet provides a *Locker on a pool that it opens. It needs a context.Context, a postgres.URL and a postgres.Config.
var PostgresSet = wire.NewSet(postgres.OpenSet, ProvideLocker)

// PostgresPoolSet provides a *Locker on the consumer's own pool. It needs a *pgxpool.Pool and a postgres.Config.
var PostgresPoolSet = wire.NewSet(postgres.Set, ProvideLocker)
