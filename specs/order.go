package specs

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

// order is the order of the checks at entry, the same everywhere: name, owner, duration, closed, then the store.
func order(w *world) {
	Describe("the order of the checks", func() {
		It("L10 is name, owner, duration", func(ctx SpecContext) {
			w.expectTryFails(ctx, "namedlock:x", "", 0, namedlock.ErrReservedName)
			w.expectTryFails(ctx, "", "", 0, namedlock.ErrInvalidName)
			w.expectTryFails(ctx, nightly, "", 0, namedlock.ErrInvalidName)
			w.expectTryFails(ctx, nightly, ada, 0, namedlock.ErrInvalidTTL)
		})

		It("L9 puts the input before the context, and that before the store", func(ctx SpecContext) {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			w.expectTryFails(ended, "namedlock:x", ada, hour, namedlock.ErrReservedName)
			w.expectTryFails(ended, nightly, "", hour, namedlock.ErrInvalidName)
			w.expectTryFails(ended, nightly, ada, 0, namedlock.ErrInvalidTTL)
			w.expectTryFails(ended, nightly, ada, hour, context.Canceled)
		})

		It("L9 puts the input before whether the store is closed", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			Expect(w.ours.Close()).To(Succeed())
			w.expectTryFails(ctx, "namedlock:x", ada, hour, namedlock.ErrReservedName)
			w.expectTryFails(ctx, nightly, "", hour, namedlock.ErrInvalidName)
			w.expectTryFails(ctx, nightly, ada, 0, namedlock.ErrInvalidTTL)
			given := answerOf(lock.Renew(ctx, 0))
			expectFailure(given, namedlock.ErrInvalidTTL)
			Expect(given.err).NotTo(MatchError(namedlock.ErrClosed))
		})

		It("L11 puts whether the store is closed before the context", func(ctx SpecContext) {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			Expect(w.ours.Close()).To(Succeed())
			w.expectTryFails(ended, nightly, ada, hour, namedlock.ErrClosed)
		})
	})
}
