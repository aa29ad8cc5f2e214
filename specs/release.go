package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// release is L8: true for whoever removed this grant's row, false otherwise, and never an error for either.
func release(w *world) {
	Describe("a release", func() {
		var lock *namedlock.Lock
		var grant domain.Grant

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
			grant = w.ours.row(ctx, nightly).Grant()
		})

		It("L8 is true for a live lock, and its row is gone", func(ctx SpecContext) {
			Expect(lock.Release(ctx)).To(BeTrue())
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
		})

		It("L8 is true for a lapsed lock that nobody took, and its row is gone", func(ctx SpecContext) {
			w.Advance(ctx, 100*hour)
			Expect(lock.Release(ctx)).To(BeTrue())
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
		})

		It("L8 is true for a lock whose renewal was refused because it had lapsed", func(ctx SpecContext) {
			w.Advance(ctx, hour)
			Expect(lock.Renew(ctx, hour)).To(BeFalse())
			Expect(lock.Release(ctx)).To(BeTrue())
		})

		It("L8 is false the second time, and any time after", func(ctx SpecContext) {
			Expect(lock.Release(ctx)).To(BeTrue())
			for range 3 {
				Expect(lock.Release(ctx)).To(BeFalse())
			}
		})

		It("L8 is the same by a handle that another process restored from owner and token", func(ctx SpecContext) {
			restored, err := w.theirs.Restore(nightly, ada, lock.Token(), hour)
			Expect(err).NotTo(HaveOccurred())
			Expect(restored.Renew(ctx, 2*hour)).To(BeTrue())
			Expect(restored.Deadline()).To(Equal(w.ours.row(ctx, nightly).Deadline().Time()))
			Expect(restored.Release(ctx)).To(BeTrue())
			Expect(restored.Release(ctx)).To(BeFalse())
			Expect(restored.Renew(ctx, hour)).To(BeFalse())
		})

		It("L8 is false when the row is gone by another's hand", func(ctx SpecContext) {
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
			Expect(lock.Release(ctx)).To(BeFalse())
		})

		It("L8 is false when somebody else took the lapsed lock, who keeps it", func(ctx SpecContext) {
			w.Advance(ctx, hour)
			winner := w.theirs.grants(ctx, nightly, bob, hour)
			before := w.theirs.row(ctx, nightly)
			Expect(lock.Release(ctx)).To(BeFalse())
			Expect(w.theirs.row(ctx, nightly)).To(Equal(before))
			Expect(winner.Release(ctx)).To(BeTrue())
		})

		It("L8 comes from the store each time: what the handle was told before does not count", func(ctx SpecContext) {
			again := w.theirs.grants(ctx, nightly, ada, hour)
			w.Advance(ctx, hour)
			Expect(again.Renew(ctx, hour)).To(BeFalse())
			Expect(again.Release(ctx)).To(BeTrue())
			Expect(lock.Release(ctx)).To(BeFalse())
		})

		It("L8 is false to another owner that knows the token, and the row stays", func(ctx SpecContext) {
			w.expectReleaseRefused(ctx, domain.Grant{Name: grant.Name, Owner: ownerOf(bob), Token: grant.Token})
		})

		It("L8 is false to a token that is not the grant's, live or lapsed, and the row stays", func(ctx SpecContext) {
			for range 2 {
				for _, token := range []domain.Token{grant.Token - 1, grant.Token + 1, 0, -grant.Token} {
					w.expectReleaseRefused(ctx, domain.Grant{Name: grant.Name, Owner: grant.Owner, Token: token})
				}
				w.Advance(ctx, hour)
			}
		})

		It("L8 is false to the same owner and token under another name", func(ctx SpecContext) {
			w.expectReleaseRefused(ctx, domain.Grant{Name: nameOf("other"), Owner: grant.Owner, Token: grant.Token})
		})

		It("L8 leaves every other lock as it was", func(ctx SpecContext) {
			w.theirs.grants(ctx, "other", ada, hour)
			before := w.theirs.row(ctx, "other")
			Expect(lock.Release(ctx)).To(BeTrue())
			Expect(w.theirs.rows(ctx)).To(Equal([]domain.Lock{before}))
		})
	})
}

// expectReleaseRefused releases at the port and expects a refusal that changes no row.
func (w *world) expectReleaseRefused(ctx SpecContext, grant domain.Grant) {
	GinkgoHelper()
	before := w.theirs.rows(ctx)
	Expect(w.Repository.Release(ctx, grant)).To(BeFalse())
	Expect(w.theirs.rows(ctx)).To(Equal(before))
}
