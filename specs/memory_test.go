package specs

import (
	. "github.com/onsi/ginkgo/v2"

	"github.com/alkstore/namedlock/adapters/memory"
)

var _ = Contract("A lock in memory", InjectedClock, func(SpecContext) Store {
	clock := NewClock()
	repo := memory.New(clock)
	DeferCleanup(repo.Close)
	return Store{Repository: repo, Clock: clock}
}, Label("memory"))
