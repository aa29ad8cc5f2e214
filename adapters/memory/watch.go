package memory

import "github.com/alkstore/namedlock/domain"

// Watch begins to watch a name, and is in force at once. A store in memory has no watchers but those of its own process, and
// loses no ring.
func (r *Repository) Watch(name domain.Name) (rings <-chan struct{}, stop func()) {
	rings, stop = r.board.Watch(name)
	r.board.Ring(name)
	return rings, stop
}
