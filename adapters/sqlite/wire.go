package sqlite

import (
	"context"

	"github.com/google/wire"

	"github.com/alkstore/namedlock/ports"
)

// Path is the path of a SQLite file, as a type of its own for injectors.
type Path string

// Set provides a ports.Repository on the *sql.DB of the caller. It needs a context, a *sql.DB and a ports.Clock.
var Set = wire.NewSet(New, wire.Bind(new(ports.Repository), new(*Repository)))

// OpenSet provides a ports.Repository in a file that it opens, and closes in its clean-up. It needs a context, a Path and
// a ports.Clock.
var OpenSet = wire.NewSet(Provide, wire.Bind(new(ports.Repository), new(*Repository)))

// Provide is [Open] for an injector: with a clean-up function, which closes the Repository.
func Provide(ctx context.Context, path Path, clock ports.Clock) (*Repository, func(), error) {
	r, err := Open(ctx, string(path), clock)
	if err != nil {
		return nil, nil, err
	}
	return r, func() { _ = r.Close() }, nil
}
