package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

// breaking is the end of a grant by an operator's hand: of the grant that was seen, and no other.
func breaking(w *world) {
	Describe("a break", func() {
		var lock *namedlock.Lock

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
		})

		It("ends the grant that was seen, whoever holds it, and the name is free", func(ctx SpecContext) {
			Expect(w.theirs.Break(ctx, nightly, w.theirs.sees(ctx, nightly).Token)).To(BeTrue())
			Expect(w.ours.rows(ctx)).To(BeEmpty())
			w.theirs.grants(ctx, nightly, bob, hour)
		})

		It("ends a lapsed grant too", func(ctx SpecContext) {
			w.Advance(ctx, hour)
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
			Expect(w.ours.rows(ctx)).To(BeEmpty())
		})

		It("is heard by the holder: its renewal and its release are false", func(ctx SpecContext) {
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
			Expect(lock.Renew(ctx, hour)).To(BeFalse())
			Expect(lock.Release(ctx)).To(BeFalse())
		})

		It("is false the second time", func(ctx SpecContext) {
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeFalse())
		})

		It("is false for a token that was not seen, and the lock goes on", func(ctx SpecContext) {
			before := w.theirs.rows(ctx)
			for _, token := range []namedlock.Token{lock.Token() - 1, lock.Token() + 1, 0, -lock.Token()} {
				Expect(w.theirs.Break(ctx, nightly, token)).To(BeFalse())
			}
			Expect(w.theirs.rows(ctx)).To(Equal(before))
			Expect(lock.Renew(ctx, hour)).To(BeTrue())
		})

		It("is false when the name was granted anew since it was seen, also to the same owner", func(ctx SpecContext) {
			seen := w.theirs.sees(ctx, nightly).Token
			Expect(lock.Release(ctx)).To(BeTrue())
			successor := w.ours.grants(ctx, nightly, ada, hour)
			Expect(w.theirs.Break(ctx, nightly, seen)).To(BeFalse())
			Expect(successor.Renew(ctx, hour)).To(BeTrue())
		})

		It("ends the grant of that name only", func(ctx SpecContext) {
			w.theirs.grants(ctx, "other", bob, hour)
			before := w.theirs.row(ctx, "other")
			Expect(w.theirs.Break(ctx, "other", lock.Token())).To(BeFalse())
			Expect(w.theirs.Break(ctx, "nobody's", lock.Token())).To(BeFalse())
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
			Expect(w.theirs.row(ctx, "other")).To(Equal(before))
		})
	})
}
