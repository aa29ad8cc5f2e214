package main

import (
	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/ports"
)

// provideLocker returns the locks of a repository, which tell the observer what happens to them, and a function that closes
// both.
func provideLocker(repo ports.Repository, observer namedlock.Observer) (*namedlock.Locker, func()) {
	locker := namedlock.New(repo, namedlock.WithObserver(observer))
	return locker, func() { _ = locker.Close() }
}
