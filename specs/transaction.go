package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// transaction is L12: what the lock does is never part of a transaction of the caller.
func transaction(w *world) {
	Describe("an open transaction of the caller", func() {
		BeforeEach(func() {
			if w.Transaction == nil {
				Skip("the store has no transactions of the caller")
			}
		})

		It("L12 does not undo a grant when it is rolled back", func(ctx SpecContext) {
			w.Transaction(ctx, func() {
				w.ours.grants(ctx, nightly, ada, hour)
				w.theirs.refuses(ctx, nightly, bob, hour)
			})
			Expect(w.theirs.refuses(ctx, nightly, bob, hour).Owner).To(Equal(ada))
		})

		It("L12 does not undo a renewal when it is rolled back", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			w.Transaction(ctx, func() { Expect(lock.Renew(ctx, 3*hour)).To(BeTrue()) })
			w.Advance(ctx, 2*hour)
			w.theirs.refuses(ctx, nightly, bob, hour)
		})

		It("L12 does not undo a release when it is rolled back", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			w.Transaction(ctx, func() { Expect(lock.Release(ctx)).To(BeTrue()) })
			w.theirs.grants(ctx, nightly, bob, hour)
		})

		It("L12 does not make the lock see an old moment: a lapse inside it is judged by the present instant", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			w.Transaction(ctx, func() {
				w.Advance(ctx, hour)
				Expect(lock.Renew(ctx, hour)).To(BeFalse())
				w.ours.grants(ctx, nightly, bob, hour)
			})
			w.theirs.refuses(ctx, nightly, ada, hour)
		})
	})
}
