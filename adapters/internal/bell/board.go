// Package bell tells those who wait for a name, in one process, that its lock may be free.
package bell

import (
	"sync"

	"github.com/alkstore/namedlock/domain"
)

// Board knows who watches which name. The zero Board is ready, and is safe for concurrent use.
type Board struct {
	mu      sync.Mutex
	watches map[domain.Name]map[watch]struct{}
}

// watch is where one watcher hears the bell: a value that was not fetched yet stands for all that came since.
type watch chan struct{}

// Watch begins to watch a name. Calling the function twice is fine.
func (b *Board) Watch(name domain.Name) (rings <-chan struct{}, stop func()) {
	w := make(watch, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watches == nil {
		b.watches = map[domain.Name]map[watch]struct{}{}
	}
	if b.watches[name] == nil {
		b.watches[name] = map[watch]struct{}{}
	}
	b.watches[name][w] = struct{}{}
	return w, func() { b.remove(name, w) }
}

// remove ends one watch, and forgets the name with the last.
func (b *Board) remove(name domain.Name, w watch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.watches[name], w)
	if len(b.watches[name]) == 0 {
		delete(b.watches, name)
	}
}

// Ring tells everybody who watches the name.
func (b *Board) Ring(name domain.Name) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ring(name)
}

// RingAll tells everybody.
func (b *Board) RingAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for name := range b.watches {
		b.ring(name)
	}
}

func (b *Board) ring(name domain.Name) {
	for w := range b.watches[name] {
		select {
		case w <- struct{}{}:
		default:
		}
	}
}

// Names returns the names that are watched, each once, in no order.
func (b *Board) Names() []domain.Name {
	b.mu.Lock()
	defer b.mu.Unlock()
	names := make([]domain.Name, 0, len(b.watches))
	for name := range b.watches {
		names = append(names, name)
	}
	return names
}

// Empty reports whether nobody watches.
func (b *Board) Empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.watches) == 0
}
