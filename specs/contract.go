package specs

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
)

// Timing says how exactly a store can be led to an instant.
type Timing int

const (
	// InjectedClock is a store that judges by Store.Clock: each instant can be met to the microsecond.
	InjectedClock Timing = iota
	// ServerClock is a store that judges by a clock of its own, moved by Store.Age: real time flows in it, so the specs of
	// one exact instant are not declared, and "just before" and "just after" are a minute away.
	ServerClock
)

// Contract declares the specs of one store: every guarantee of a named lock as behaviour, with the id of its row first in
// its title. It is called at the top level of a test file. The args are Ginkgo's decorators, a Label for one.
func Contract(title string, timing Timing, open Factory, args ...any) bool {
	declare := func() {
		w := &world{timing: timing}
		BeforeEach(func(ctx SpecContext) { w.open(open(ctx)) })
		for _, behaviour := range behaviours() {
			behaviour(w)
		}
	}
	return Describe(title, append([]any{Offset(1), declare}, args...)...)
}

// behaviours are the chapters of the contract, in the order in which one would tell them.
func behaviours() []func(*world) {
	return []func(*world){
		exclusion, refusal, crowd, lapse, sameOwner,
		renewal, release, staleHandle, tokens,
		durationGuard, precision, nameGuard, names, order,
		closed, endedContext, transaction, pool,
		readback, instants, oracle,
		finding, listing, breaking, purging, withdrawal,
		batch, waking, waiting, keeping,
	}
}

// step is the shortest time by which the specs approach an instant.
func (t Timing) step() time.Duration {
	if t == ServerClock {
		return time.Minute
	}
	return time.Microsecond
}

// exactly declares the specs of one exact instant, where a store can be led to it.
func (t Timing) exactly(declare func()) {
	if t == InjectedClock {
		declare()
	}
}
