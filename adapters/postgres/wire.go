package postgres

import (
	"context"

	"github.com/google/wire"

	"github.com/alkstore/namedlock/ports"
)

// URL is a connection string, as a type of its own for injectors.
type URL string

// Set provides a ports.Repository on the pool of the caller. It needs a *pgxpool.Pool and a Config.
var Set = wire.NewSet(New, wire.Bind(new(ports.Repository), new(*Repository)))

// OpenSet provides a ports.Repository on a pool that it opens, and closes in its clean-up. It needs a context, a URL and a
// Config.
var OpenSet = wire.NewSet(Provide, wire.Bind(new(ports.Repository), new(*Repository)))

// Provide is [Open] for an injector: with a clean-up function, which closes the Repository.
func Provide(ctx context.Context, url URL, config Config) (*Repository, func(), error) {
	r, err := Open(ctx, string(url), config)
	if err != nil {
		return nil, nil, err
	}
	return r, func() { _ = r.Close() }, nil
}
