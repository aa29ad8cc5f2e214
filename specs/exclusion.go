package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// exclusion is L1: while a grant is live nobody else is granted its name.
func exclusion(w *world) {
	Describe("exclusion", func() {
		When("a lock is live", func() {
			It("L1 nobody with another owner is granted its name", func(ctx SpecContext) {
				w.ours.grants(ctx, nightly, ada, hour)
				w.theirs.refuses(ctx, nightly, bob, hour)
				w.ours.refuses(ctx, nightly, bob, hour)
			})

			It("L1 it keeps others out until the last moment before its deadline", func(ctx SpecContext) {
				w.ours.grants(ctx, nightly, ada, hour)
				w.Advance(ctx, hour-w.step())
				w.theirs.refuses(ctx, nightly, bob, hour)
			})

			It("L1 a renewal keeps others out beyond the first deadline", func(ctx SpecContext) {
				lock := w.ours.grants(ctx, nightly, ada, hour)
				w.Advance(ctx, hour/2)
				Expect(lock.Renew(ctx, hour)).To(BeTrue())
				w.Advance(ctx, hour-w.step())
				w.theirs.refuses(ctx, nightly, bob, hour)
			})

			It("L1 it excludes in both directions: who came through either handle keeps out the other", func(ctx SpecContext) {
				w.theirs.grants(ctx, nightly, bob, hour)
				w.ours.refuses(ctx, nightly, ada, hour)
			})

			It("L1 every other name is another lock", func(ctx SpecContext) {
				w.ours.grants(ctx, nightly, ada, hour)
				for _, other := range []string{"reports", "reports/", "reports/nightly/2", "nightly", "reports/nightl"} {
					w.theirs.grants(ctx, other, bob, hour)
				}
			})
		})

		When("a lock is released", func() {
			It("L1 the next asker is granted the name at once", func(ctx SpecContext) {
				lock := w.ours.grants(ctx, nightly, ada, hour)
				Expect(lock.Release(ctx)).To(BeTrue())
				w.theirs.grants(ctx, nightly, bob, hour)
			})
		})
	})
}
