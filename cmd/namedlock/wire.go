//go:build wireinject

package main

import (
	"context"

	"github.com/google/wire"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

// injectSQLite opens the locks in a SQLite file, which the clock of this machine judges.
func injectSQLite(ctx context.Context, path sqlite.Path, observer namedlock.Observer) (*namedlock.Locker, func(), error) {
	panic(wire.Build(
		sqlite.OpenSet,
		provideLocker,
		wire.Struct(new(ports.SystemClock)),
		wire.Bind(new(ports.Clock), new(ports.SystemClock)),
	))
}

// injectPostgres opens the locks in a Postgres database, which the server's clock judges.
func injectPostgres(ctx context.Context, url postgres.URL, config postgres.Config, observer namedlock.Observer) (*namedlock.Locker, func(), error) {
	panic(wire.Build(postgres.OpenSet, provideLocker))
}
