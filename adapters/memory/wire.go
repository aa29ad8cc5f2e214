package memory

import (
	"github.com/google/wire"

	"github.com/alkstore/namedlock/ports"
)

// Set provides a ports.Repository in memory. It needs a ports.Clock.
var Set = wire.NewSet(New, wire.Bind(new(ports.Repository), new(*Repository)))
