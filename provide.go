package namedlock

import "github.com/alkstore/namedlock/ports"

// ProvideLocker is [New] for an injector: with a clean-up function, which closes the Locker.
func ProvideLocker(repo ports.Repository) (*Locker, func()) {
	locker := New(repo)
	return locker, func() { _ = locker.Close() }
}
