// Package specs is the contract of a named lock as behaviour: specs that any store can be held to. Whoever writes an adapter,
// a [ports.Repository] for another store, adopts them in one test file of the adapter and has every guarantee checked:
//
//	package redis_test
//
//	func TestContract(t *testing.T) {
//		gomega.RegisterFailHandler(ginkgo.Fail)
//		ginkgo.RunSpecs(t, "Locks in Redis")
//	}
//
//	var _ = specs.Contract("A lock in Redis", specs.InjectedClock, func(ctx ginkgo.SpecContext) specs.Store {
//		clock, prefix := specs.NewClock(), rand.Text()
//		ours, rival := dial(), dial()
//		ginkgo.DeferCleanup(func() { ours.Close(); rival.Close() })
//		return specs.Store{
//			Repository: redis.New(ours, prefix, clock),
//			Rival:      redis.New(rival, prefix, clock),
//			Clock:      clock,
//		}
//	})
//
// The titles begin with the id of the row that they state, L1 to L15 and M1 to M10 of docs/guarantees.md; printed by
// "ginkgo -v" they are the list of what is promised.
//
// # What an adapter gives
//
// A [Factory] opens a fresh, empty [Store] before each spec. Two handles matter: the second party of a spec always comes
// through Rival, so let that be another client, pool or process if there can be one. Time passes without waiting: a store
// that judges by an injected clock is led to each instant by a [Clock]; one that judges by a clock of its own says
// [ServerClock] and gives Age, which makes rows older. Transaction, ConnectionsInUse and Ping are for stores that work on
// something of the caller's.
//
// # What is not here
//
// How a store behaves when it is down, read-only, full, slow or restarted is for the adapter's own tests: there is no way
// to make any store fail alike. Local deadlines (M7), and what the library does of itself when a call hears no answer
// (M8), are tested beside the package namedlock; only what it needs of a store for that is here.
//
// The suite is itself tested: the folder selftest runs it on stores that are broken on purpose, and wants each of them
// caught by the row that forbids it.
package specs
