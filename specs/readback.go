package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
)

// readback is L14: what is reported as granted is the row that stands.
func readback(w *world) {
	Describe("a reported grant", func() {
		It("L14 is the row that anybody else reads", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			entry := w.theirs.sees(ctx, nightly)
			Expect(entry.Name).To(Equal(lock.Name()))
			Expect(entry.Owner).To(Equal(lock.Owner()))
			Expect(entry.Token).To(Equal(lock.Token()))
			Expect(entry.Deadline).To(Equal(lock.Deadline()))
		})

		It("L14 is the row, with the claim that made it, for a new name, a lapsed one and a released one", func(ctx SpecContext) {
			for range 2 {
				claim := claimOf(nightly, ada, hour)
				w.expectReadBack(ctx, claim, w.ours.acquires(ctx, claim))
				w.Advance(ctx, hour)
			}
			claim := claimOf(nightly, bob, 2*hour)
			verdict := w.theirs.acquires(ctx, claim)
			w.expectReadBack(ctx, claim, verdict)
			Expect(w.Repository.Release(ctx, verdict.Lock.Grant())).To(BeTrue())
			claim = claimOf(nightly, ada, hour)
			w.expectReadBack(ctx, claim, w.theirs.acquires(ctx, claim))
		})

		It("L14 is, to an owner that asks again, the row of its first claim and nothing of its second", func(ctx SpecContext) {
			first := w.ours.acquires(ctx, claimOf(nightly, ada, hour))
			w.Advance(ctx, hour/2)
			row := w.theirs.row(ctx, nightly)
			again := w.theirs.acquires(ctx, claimOf(nightly, ada, 5*hour))
			Expect(again.Lock).To(Equal(row))
			Expect(again.Lock.Claim()).To(Equal(first.Lock.Claim()))
		})

		It("L14 is the row after a renewal too", func(ctx SpecContext) {
			first := w.ours.acquires(ctx, claimOf(nightly, ada, hour))
			renewed := valid(w.Repository.Renew(ctx, first.Lock.Grant(), ttlOf(2*hour)))
			Expect(renewed.Lock).To(Equal(w.theirs.row(ctx, nightly)))
		})

		It("L14 is live at the instant that it names", func(ctx SpecContext) {
			verdict := w.ours.acquires(ctx, claimOf(nightly, ada, w.step()))
			Expect(verdict.Lock.LiveAt(verdict.At)).To(BeTrue())
		})
	})
}

// expectReadBack expects that the verdict shows what the claim asked for, and that the row is that.
func (w *world) expectReadBack(ctx SpecContext, claim domain.Claim, verdict domain.Verdict) {
	GinkgoHelper()
	lock := verdict.Lock
	Expect(lock.Name()).To(Equal(claim.Name))
	Expect(lock.Owner()).To(Equal(claim.Owner))
	Expect(lock.Claim()).To(Equal(claim.ID))
	Expect(lock.Token()).To(BeNumerically(">=", 1))
	Expect(lock.AcquiredAt()).To(Equal(verdict.At))
	Expect(lock.Deadline()).To(Equal(verdict.At.After(claim.TTL)))
	Expect(w.theirs.row(ctx, claim.Name.String())).To(Equal(lock))
	Expect(w.ours.row(ctx, claim.Name.String())).To(Equal(lock))
}
