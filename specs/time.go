package specs

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
)

// instants is L15 and M3: one clock judges, and each decision is made at one reading of it.
func instants(w *world) {
	Describe("one decision", func() {
		const stride = 3 * time.Microsecond

		// Where the clock is injected, each reading of it moves it on: who reads twice decides at two instants.
		BeforeEach(func() {
			if w.Clock != nil {
				w.Clock.Stride(stride)
			}
		})

		It("L15 grants at one instant: the grant begins there and its window counts from there", func(ctx SpecContext) {
			verdict := w.ours.acquires(ctx, claimOf(nightly, ada, hour))
			Expect(verdict.Lock.AcquiredAt()).To(Equal(verdict.At))
			Expect(verdict.Lock.Deadline()).To(Equal(verdict.At.After(ttlOf(hour))))
		})

		It("L15 renews at one instant: the window counts from the instant that it names", func(ctx SpecContext) {
			first := w.ours.acquires(ctx, claimOf(nightly, ada, hour))
			verdict := valid(w.Repository.Renew(ctx, first.Lock.Grant(), ttlOf(2*hour)))
			Expect(verdict.At).To(BeNumerically(">", first.At))
			Expect(verdict.Lock.Deadline()).To(Equal(verdict.At.After(ttlOf(2 * hour))))
		})

		w.timing.exactly(func() {
			DescribeTable("near the deadline",
				func(ctx SpecContext, decide func(ctx SpecContext, standing domain.Lock)) {
					for before := range 12 {
						w.Clock.Stride(0)
						standing := w.ours.acquires(ctx, claimOf(nightly, ada, hour)).Lock
						w.Advance(ctx, hour-time.Duration(before)*time.Microsecond)
						w.Clock.Stride(stride)
						decide(ctx, standing)
						w.Advance(ctx, 3*hour)
					}
				},
				Entry("L15 grants or refuses as is right at the instant that it names", func(ctx SpecContext, standing domain.Lock) {
					claim := claimOf(nightly, bob, hour)
					verdict := valid(w.Rival.Acquire(ctx, claim))
					Expect(verdict).To(Equal(domain.Acquire(standing, claim, verdict.Lock.Token(), verdict.At)))
				}),
				Entry("L15 renews as is right at the instant that it names, or not at all", func(ctx SpecContext, standing domain.Lock) {
					verdict := valid(w.Rival.Renew(ctx, standing.Grant(), ttlOf(hour)))
					if verdict.Granted {
						Expect(verdict).To(Equal(domain.Renew(standing, standing.Grant(), ttlOf(hour), verdict.At)))
					}
				}),
			)
		})
	})

	Describe("the clock of the store", func() {
		w.timing.exactly(func() {
			It("M3 is the one that was injected, and no other", func(ctx SpecContext) {
				for i := range 4 {
					now := domain.InstantOf(w.Clock.Now())
					verdict := w.side(i).acquires(ctx, claimOf(nightly, ada, hour))
					Expect(verdict.At).To(Equal(now))
					Expect(w.side(i+1).sees(ctx, nightly).SeenAt).To(Equal(now.Time()))
					renewed := valid(w.Repository.Renew(ctx, verdict.Lock.Grant(), ttlOf(hour)))
					Expect(renewed.At).To(Equal(now))
					w.Advance(ctx, 1000*hour)
				}
			})

			It("M3 stands still as long as the injected one does: a lock of a microsecond is held", func(ctx SpecContext) {
				w.ours.grants(ctx, nightly, ada, time.Microsecond)
				for range 100 {
					w.theirs.refuses(ctx, nightly, bob, hour)
				}
			})
		})

		It("M3 is one for both handles: what they hear never goes back", func(ctx SpecContext) {
			w.ours.grants(ctx, nightly, ada, hour)
			var last time.Time
			for i := range 20 {
				seen := w.side(i).sees(ctx, nightly).SeenAt
				Expect(seen).To(BeTemporally(">=", last))
				last = seen
			}
		})
	})
}
