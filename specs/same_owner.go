package specs

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

// sameOwner is L5: an owner that asks again while it holds the lock is granted the same lock, as it is.
func sameOwner(w *world) {
	Describe("the same owner", func() {
		var first *namedlock.Lock

		BeforeEach(func(ctx SpecContext) {
			first = w.ours.grants(ctx, nightly, ada, hour)
			Expect(first.Shared()).To(BeFalse())
		})

		When("it asks again while its lock is live", func() {
			It("L5 is granted the same row: same token, and the deadline not moved, whatever ttl it asks for", func(ctx SpecContext) {
				w.Advance(ctx, hour/4)
				row := w.ours.row(ctx, nightly)
				for _, ttl := range []time.Duration{w.step(), hour, 1000 * hour} {
					again := w.theirs.grants(ctx, nightly, ada, ttl)
					Expect(again.Token()).To(Equal(first.Token()))
					Expect(again.Shared()).To(BeTrue())
					Expect(w.ours.row(ctx, nightly)).To(Equal(row))
				}
			})

			It("L5 gets a handle that shows the real deadline of the row", func(ctx SpecContext) {
				w.Advance(ctx, hour/4)
				row := w.ours.row(ctx, nightly)
				again := w.theirs.grants(ctx, nightly, ada, 5*hour)
				Expect(again.Deadline()).To(Equal(row.Deadline().Time()))
				Expect(again.Remaining()).To(BeNumerically("<=", hour-hour/4))
			})

			It("L5 is granted it until the last moment, and the lock lapses at its first deadline all the same", func(ctx SpecContext) {
				w.Advance(ctx, hour-w.step())
				again := w.theirs.grants(ctx, nightly, ada, hour)
				Expect(again.Token()).To(Equal(first.Token()))
				w.Advance(ctx, w.step())
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L5 both handles speak for one grant: a release by the first ends it for the second", func(ctx SpecContext) {
				again := w.theirs.grants(ctx, nightly, ada, hour)
				Expect(first.Release(ctx)).To(BeTrue())
				Expect(again.Release(ctx)).To(BeFalse())
				Expect(again.Renew(ctx, hour)).To(BeFalse())
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L5 both handles speak for one grant: a release by the second ends it for the first", func(ctx SpecContext) {
				again := w.theirs.grants(ctx, nightly, ada, hour)
				Expect(again.Release(ctx)).To(BeTrue())
				Expect(first.Release(ctx)).To(BeFalse())
				Expect(first.Renew(ctx, hour)).To(BeFalse())
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L5 both handles can renew, and the last renewal counts", func(ctx SpecContext) {
				again := w.theirs.grants(ctx, nightly, ada, hour)
				w.Advance(ctx, w.step())
				Expect(again.Renew(ctx, 3*hour)).To(BeTrue())
				Expect(first.Renew(ctx, 2*hour)).To(BeTrue())
				Expect(w.theirs.sees(ctx, nightly).Deadline).To(Equal(first.Deadline()))
			})
		})

		When("it asks again after its lock has lapsed", func() {
			It("L5 is granted anew, under a larger token, for a full window", func(ctx SpecContext) {
				w.Advance(ctx, hour)
				again := w.theirs.grants(ctx, nightly, ada, hour)
				Expect(again.Token()).To(BeNumerically(">", first.Token()))
				w.Advance(ctx, hour-w.step())
				w.ours.refuses(ctx, nightly, bob, hour)
			})
		})

		When("it asks again after a release", func() {
			It("L5 is granted anew, under a larger token", func(ctx SpecContext) {
				Expect(first.Release(ctx)).To(BeTrue())
				Expect(w.theirs.grants(ctx, nightly, ada, hour).Token()).To(BeNumerically(">", first.Token()))
			})
		})
	})
}
