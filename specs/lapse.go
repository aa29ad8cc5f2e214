package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

// lapse is L3 and L4: at its deadline a lock ends in silence, and whoever asks next is granted the name.
func lapse(w *world) {
	Describe("a lapse", func() {
		var lock *namedlock.Lock

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
		})

		w.timing.exactly(func() {
			It("L3 a lapsed lock goes to the next asker at its deadline, not before", func(ctx SpecContext) {
				w.Advance(ctx, hour-w.step())
				w.theirs.refuses(ctx, nightly, bob, hour)
				w.Advance(ctx, w.step())
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L3 the deadline is the first instant at which an entry is shown as lapsed", func(ctx SpecContext) {
				w.Advance(ctx, hour-w.step())
				Expect(w.theirs.sees(ctx, nightly).Lapsed()).To(BeFalse())
				w.Advance(ctx, w.step())
				Expect(w.theirs.sees(ctx, nightly).Lapsed()).To(BeTrue())
			})

			It("L3 a lock of the shortest ttl lapses one microsecond after it was granted", func(ctx SpecContext) {
				w.ours.grants(ctx, "short", ada, w.step())
				w.theirs.refuses(ctx, "short", bob, hour)
				w.Advance(ctx, w.step())
				w.theirs.grants(ctx, "short", bob, hour)
			})
		})

		When("the deadline has passed", func() {
			BeforeEach(func(ctx SpecContext) { w.Advance(ctx, hour) })

			It("L3 the row stays as it was, and is shown as lapsed", func(ctx SpecContext) {
				entry := w.theirs.sees(ctx, nightly)
				Expect(entry.Lapsed()).To(BeTrue())
				Expect(entry.Remaining()).To(BeZero())
				Expect(entry.Owner).To(Equal(ada))
				Expect(entry.Token).To(Equal(lock.Token()))
				if w.Clock != nil {
					Expect(entry.Deadline).To(Equal(lock.Deadline()))
				}
			})

			It("L3 the row stays however long nobody asks, and while other names come and go", func(ctx SpecContext) {
				row := w.theirs.row(ctx, nightly)
				other := w.ours.grants(ctx, "other", bob, hour)
				Expect(other.Release(ctx)).To(BeTrue())
				Expect(w.theirs.row(ctx, nightly)).To(Equal(row))
				w.Advance(ctx, 1000*hour)
				Expect(w.theirs.row(ctx, nightly).Grant()).To(Equal(row.Grant()))
			})

			It("L4 the name is granted to the next asker", func(ctx SpecContext) {
				w.ours.grants(ctx, nightly, bob, hour)
			})

			It("L4 the name is granted to an asker on another handle, for a full window", func(ctx SpecContext) {
				w.theirs.grants(ctx, nightly, bob, hour)
				w.Advance(ctx, hour-w.step())
				w.ours.refuses(ctx, nightly, ada, hour)
			})

			It("L4 the name is granted to the owner that had it before", func(ctx SpecContext) {
				w.theirs.grants(ctx, nightly, ada, hour)
				w.ours.refuses(ctx, nightly, bob, hour)
			})

			It("L4 the next grant replaces the lapsed row: the name has one row", func(ctx SpecContext) {
				next := w.theirs.grants(ctx, nightly, bob, hour)
				rows := w.ours.rows(ctx)
				Expect(rows).To(HaveLen(1))
				Expect(rows[0].Owner().String()).To(Equal(bob))
				Expect(rows[0].Token()).To(Equal(next.Token()))
			})
		})

		It("L4 one name can lapse and be granted again any number of times", func(ctx SpecContext) {
			for i := range 20 {
				w.Advance(ctx, hour)
				owner := []string{bob, ada}[i%2]
				Expect(w.side(i).grants(ctx, nightly, owner, hour).Owner()).To(Equal(owner))
			}
		})
	})
}
