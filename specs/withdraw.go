package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
)

// withdrawal is M8 at the port: a call that heard no answer takes back what it got, and nothing else.
func withdrawal(w *world) {
	Describe("a withdrawal", func() {
		var claim domain.Claim
		var granted domain.Lock

		BeforeEach(func(ctx SpecContext) {
			claim = claimOf(nightly, ada, hour)
			granted = w.ours.acquires(ctx, claim).Lock
		})

		It("M8 takes back what that very claim was granted, also through another handle", func(ctx SpecContext) {
			Expect(w.Rival.Withdraw(ctx, claim)).To(BeTrue())
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
			w.theirs.grants(ctx, nightly, bob, hour)
		})

		It("M8 takes it back when it has lapsed or was renewed too", func(ctx SpecContext) {
			Expect(valid(w.Repository.Renew(ctx, granted.Grant(), ttlOf(2*hour))).Granted).To(BeTrue())
			w.Advance(ctx, 3*hour)
			Expect(w.Repository.Withdraw(ctx, claim)).To(BeTrue())
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
		})

		It("M8 is false the second time", func(ctx SpecContext) {
			Expect(w.Repository.Withdraw(ctx, claim)).To(BeTrue())
			Expect(w.Repository.Withdraw(ctx, claim)).To(BeFalse())
		})

		It("M8 is false when the claim got nothing, and makes no row", func(ctx SpecContext) {
			Expect(w.Repository.Withdraw(ctx, claimOf("other", ada, hour))).To(BeFalse())
			Expect(w.theirs.rows(ctx)).To(Equal([]domain.Lock{granted}))
		})

		It("M8 leaves the grant that the same owner got by another claim", func(ctx SpecContext) {
			again := claimOf(nightly, ada, hour)
			Expect(w.theirs.acquires(ctx, again).Lock).To(Equal(granted))
			Expect(w.Rival.Withdraw(ctx, again)).To(BeFalse())
			Expect(w.theirs.rows(ctx)).To(Equal([]domain.Lock{granted}))
		})

		It("M8 finds each try a claim of its own, also of one owner", func(ctx SpecContext) {
			seen := map[domain.ClaimID]bool{}
			for i := range 5 {
				lock := w.side(i).grants(ctx, "other", ada, hour)
				claimed := w.theirs.row(ctx, "other").Claim()
				Expect(seen).NotTo(HaveKey(claimed))
				seen[claimed] = true
				Expect(lock.Release(ctx)).To(BeTrue())
			}
		})

		It("M8 leaves the lock that refused the claim", func(ctx SpecContext) {
			refused := claimOf(nightly, bob, hour)
			Expect(valid(w.Rival.Acquire(ctx, refused)).Granted).To(BeFalse())
			Expect(w.Rival.Withdraw(ctx, refused)).To(BeFalse())
			Expect(w.theirs.rows(ctx)).To(Equal([]domain.Lock{granted}))
		})

		It("M8 leaves the later grant of whoever came after, also of the same owner", func(ctx SpecContext) {
			for _, owner := range []string{bob, ada} {
				w.Advance(ctx, hour)
				successor := w.theirs.acquires(ctx, claimOf(nightly, owner, hour)).Lock
				Expect(w.Repository.Withdraw(ctx, claim)).To(BeFalse())
				Expect(w.theirs.rows(ctx)).To(Equal([]domain.Lock{successor}))
			}
		})
	})
}
