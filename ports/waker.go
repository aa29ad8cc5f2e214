package ports

import "github.com/alkstore/namedlock/domain"

// Waker is an optional port of a [Repository]: it tells whoever waits for a name that asking again may be worth while. A
// repository without it is asked more often by those who wait.
type Waker interface {
	// Watch begins to watch a name. The channel gets a value as soon as the watch is in force, and after each removal of
	// the name's row by a release, a break or a withdrawal, whichever process did it. Values that nobody fetches merge into
	// one.
	//
	// A value is a hint and no answer: one may come for no reason, and one may be lost, as when the store cannot be
	// reached. It asks no context, never blocks, and keeps nothing of the caller's connections. Watches of one name are
	// independent. The function ends the watch; calling it twice is fine, and the channel is never closed. A watch of a
	// closed repository is told so by a value at once.
	Watch(name domain.Name) (rings <-chan struct{}, stop func())
}
