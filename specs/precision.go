package specs

import (
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
)

// century is about a hundred years; math.MaxInt64 is 292 of them.
const century = 100 * 365 * 24 * time.Hour

// precision is M4: every positive duration is kept to the microsecond, rounded up, and none wraps.
func precision(w *world) {
	windows := []TableEntry{
		Entry("M4 a nanosecond, as a microsecond", time.Nanosecond, int64(1)),
		Entry("M4 999 ns, as a microsecond", 999*time.Nanosecond, int64(1)),
		Entry("M4 a microsecond", time.Microsecond, int64(1)),
		Entry("M4 1,001 ns, as two microseconds", 1001*time.Nanosecond, int64(2)),
		Entry("M4 999 µs", 999*time.Microsecond, int64(999)),
		Entry("M4 a millisecond", time.Millisecond, int64(1_000)),
		Entry("M4 999.9 ms", 999*time.Millisecond+900*time.Microsecond, int64(999_900)),
		Entry("M4 a second and a half", 1500*time.Millisecond, int64(1_500_000)),
		Entry("M4 an hour and a microsecond", hour+time.Microsecond, int64(3_600_000_001)),
		Entry("M4 a month", 30*24*hour, int64(2_592_000_000_000)),
		Entry("M4 200 years", 2*century, int64(2*century/time.Microsecond)),
		Entry("M4 the longest duration", time.Duration(math.MaxInt64), int64(math.MaxInt64/1000+1)),
	}

	Describe("a window of any length", func() {
		DescribeTable("is granted whole",
			func(ctx SpecContext, ttl time.Duration, micros int64) {
				verdict := w.ours.acquires(ctx, claimOf(nightly, ada, ttl))
				row := w.theirs.row(ctx, nightly)
				Expect(verdict.Lock).To(Equal(row))
				Expect(row.AcquiredAt()).To(Equal(verdict.At))
				Expect(int64(row.Deadline() - row.AcquiredAt())).To(Equal(micros))
			}, windows)

		DescribeTable("is renewed whole",
			func(ctx SpecContext, ttl time.Duration, micros int64) {
				first := w.ours.acquires(ctx, claimOf(nightly, ada, hour))
				verdict := valid(w.Repository.Renew(ctx, first.Lock.Grant(), ttlOf(ttl)))
				row := w.theirs.row(ctx, nightly)
				Expect(verdict).To(Equal(domain.Verdict{Granted: true, Lock: row, At: verdict.At}))
				Expect(int64(row.Deadline() - verdict.At)).To(Equal(micros))
			}, windows)

		w.timing.exactly(func() {
			DescribeTable("is held for no less and no more",
				func(ctx SpecContext, ttl time.Duration, micros int64) {
					w.ours.grants(ctx, nightly, ada, ttl)
					w.Advance(ctx, time.Duration(micros-1)*time.Microsecond)
					w.theirs.refuses(ctx, nightly, bob, hour)
					w.Advance(ctx, time.Microsecond)
					w.theirs.grants(ctx, nightly, bob, hour)
				}, windows[:len(windows)-1])
		})

		DescribeTable("is really held when it is very long, a hundred years later too, and can be renewed then",
			func(ctx SpecContext, ttl time.Duration) {
				lock := w.ours.grants(ctx, nightly, ada, ttl)
				w.theirs.refuses(ctx, nightly, bob, hour)
				w.Advance(ctx, century)
				w.theirs.refuses(ctx, nightly, bob, hour)
				Expect(w.theirs.sees(ctx, nightly).Lapsed()).To(BeFalse())
				Expect(lock.Renew(ctx, ttl)).To(BeTrue())
				w.Advance(ctx, century)
				w.theirs.refuses(ctx, nightly, bob, hour)
				Expect(lock.Release(ctx)).To(BeTrue())
			},
			Entry("M4 200 years", 2*century),
			Entry("M4 a microsecond less than the longest duration", time.Duration(math.MaxInt64)-time.Microsecond),
			Entry("M4 the longest duration", time.Duration(math.MaxInt64)),
		)
	})

	Describe("an instant", func() {
		w.timing.exactly(func() {
			It("M4 is kept to the microsecond, and no further", func(ctx SpecContext) {
				for range 3 {
					w.Advance(ctx, 1001*time.Microsecond)
					lock := w.ours.grants(ctx, nightly, ada, hour)
					entry := w.theirs.sees(ctx, nightly)
					Expect(entry.AcquiredAt).To(Equal(w.Clock.Now().Truncate(time.Microsecond)))
					Expect(entry.Deadline).To(Equal(entry.AcquiredAt.Add(hour)))
					Expect(lock.Release(ctx)).To(BeTrue())
				}
			})

			It("M4 on a whole second is told apart from one with a fraction", func(ctx SpecContext) {
				whole := w.Clock.Now().Truncate(time.Second).Add(time.Second)
				w.Advance(ctx, whole.Sub(w.Clock.Now()))
				w.ours.grants(ctx, nightly, ada, time.Second)
				w.Advance(ctx, time.Second-time.Microsecond)
				w.theirs.refuses(ctx, nightly, bob, hour)
				w.Advance(ctx, time.Microsecond)
				w.theirs.grants(ctx, nightly, bob, hour)
			})
		})
	})
}
