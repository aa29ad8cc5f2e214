package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// refusal is L2 and M6: being refused is an answer, it changes nothing, and it tells who stands in the way.
func refusal(w *world) {
	Describe("a refusal", func() {
		var lock *namedlock.Lock

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
			w.Advance(ctx, hour/4)
		})

		It("L2 is a value: an incumbent, no lock and no error", func(ctx SpecContext) {
			lock, incumbent, err := w.theirs.TryLock(ctx, nightly, bob, hour)
			Expect(err).NotTo(HaveOccurred())
			Expect(lock).To(BeNil())
			Expect(incumbent).NotTo(BeNil())
		})

		It("L2 leaves the winner's row as it was, whatever ttl was asked for, and however often", func(ctx SpecContext) {
			before := w.theirs.rows(ctx)
			for range 10 {
				w.theirs.refuses(ctx, nightly, bob, 5*hour)
				w.ours.refuses(ctx, nightly, "cleo", w.step())
			}
			Expect(w.theirs.rows(ctx)).To(Equal(before))
		})

		It("L2 leaves the winner all that it had: renewal and release", func(ctx SpecContext) {
			w.theirs.refuses(ctx, nightly, bob, hour)
			Expect(lock.Renew(ctx, hour)).To(BeTrue())
			w.theirs.refuses(ctx, nightly, bob, hour)
			Expect(lock.Release(ctx)).To(BeTrue())
		})

		It("M6 tells who holds the lock, by which grant, since when and until when", func(ctx SpecContext) {
			row := w.ours.row(ctx, nightly)
			incumbent := w.theirs.refuses(ctx, nightly, bob, hour)
			Expect(incumbent.Name).To(Equal(nightly))
			Expect(incumbent.Owner).To(Equal(ada))
			Expect(incumbent.Token).To(Equal(lock.Token()))
			Expect(incumbent.AcquiredAt).To(Equal(row.AcquiredAt().Time()))
			Expect(incumbent.Deadline).To(Equal(row.Deadline().Time()))
		})

		It("M6 tells the instant of the look by the clock of the store, at which the lock was live", func(ctx SpecContext) {
			before := w.now(ctx)
			incumbent := w.theirs.refuses(ctx, nightly, bob, hour)
			Expect(incumbent.SeenAt).To(BeTemporally(">=", before.Time()))
			Expect(incumbent.SeenAt).To(BeTemporally("<=", w.now(ctx).Time()))
			Expect(incumbent.Lapsed()).To(BeFalse())
			Expect(incumbent.Remaining()).To(BeNumerically("~", hour-hour/4, w.step()))
		})

		It("M6 tells the deadline that a renewal has set meanwhile", func(ctx SpecContext) {
			Expect(lock.Renew(ctx, 3*hour)).To(BeTrue())
			incumbent := w.theirs.refuses(ctx, nightly, bob, hour)
			Expect(incumbent.Deadline).To(Equal(lock.Deadline()))
			Expect(incumbent.Token).To(Equal(lock.Token()))
		})

		It("M6 shows at the port the row that stands, whole", func(ctx SpecContext) {
			row := w.ours.row(ctx, nightly)
			verdict, err := w.Rival.Acquire(ctx, claimOf(nightly, bob, hour))
			Expect(err).NotTo(HaveOccurred())
			Expect(verdict).To(Equal(domain.Verdict{Granted: false, Lock: row, At: verdict.At}))
		})
	})
}
