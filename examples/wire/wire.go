//go:build wireinject

package main

import (
	"context"

	"github.com/google/wire"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

// injectReporter assembles a reporter whose locks are in the database at url.
func injectReporter(ctx context.Context, url postgres.URL, config postgres.Config) (reporter, func(), error) {
	panic(wire.Build(namedlock.PostgresSet, newReporter))
}
