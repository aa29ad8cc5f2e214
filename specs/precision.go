package specs

import (
	"fmt"
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
	Describe("a window", func() {
		for _, window := range windows() {
			ttl, micros := window.ttl, window.micros

			It(fmt.Sprintf("M4 of %v is granted as %d µs", ttl, micros), func(ctx SpecContext) {
				verdict := w.ours.acquires(ctx, claimOf(nightly, ada, ttl))
				row := w.theirs.row(ctx, nightly)
				Expect(verdict).To(Equal(domain.Verdict{Granted: true, Lock: row, At: row.AcquiredAt()}))
				Expect(int64(row.Deadline() - row.AcquiredAt())).To(Equal(micros))
			})

			It(fmt.Sprintf("M4 of %v is renewed as %d µs", ttl, micros), func(ctx SpecContext) {
				first := w.ours.acquires(ctx, claimOf(nightly, ada, hour))
				verdict := valid(w.Repository.Renew(ctx, first.Lock.Grant(), ttlOf(ttl)))
				row := w.theirs.row(ctx, nightly)
				Expect(verdict).To(Equal(domain.Verdict{Granted: true, Lock: row, At: verdict.At}))
				Expect(int64(row.Deadline() - verdict.At)).To(Equal(micros))
			})

			w.timing.exactly(func() {
				It(fmt.Sprintf("M4 of %v keeps others out for that long, and no longer", ttl), func(ctx SpecContext) {
					w.ours.grants(ctx, nightly, ada, ttl)
					w.Advance(ctx, time.Duration(micros-1)*time.Microsecond)
					w.theirs.refuses(ctx, nightly, bob, hour)
					w.Advance(ctx, time.Microsecond)
					w.theirs.grants(ctx, nightly, bob, hour)
				})
			})
		}

		for _, ttl := range []time.Duration{2 * century, math.MaxInt64 - time.Microsecond, math.MaxInt64} {
			It(fmt.Sprintf("M4 of %v is really held, a hundred years later too, and can be renewed then", ttl), func(ctx SpecContext) {
				lock := w.ours.grants(ctx, nightly, ada, ttl)
				w.theirs.refuses(ctx, nightly, bob, hour)
				w.Advance(ctx, century)
				w.theirs.refuses(ctx, nightly, bob, hour)
				Expect(w.theirs.sees(ctx, nightly).Lapsed()).To(BeFalse())
				Expect(lock.Renew(ctx, ttl)).To(BeTrue())
				w.Advance(ctx, century)
				w.theirs.refuses(ctx, nightly, bob, hour)
				Expect(lock.Release(ctx)).To(BeTrue())
			})
		}
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

// window is a duration, and how many microseconds it must last.
type window struct {
	ttl    time.Duration
	micros int64
}

func windows() []window {
	return []window{
		{time.Nanosecond, 1},
		{999 * time.Nanosecond, 1},
		{time.Microsecond, 1},
		{1001 * time.Nanosecond, 2},
		{999 * time.Microsecond, 999},
		{time.Millisecond, 1_000},
		{999_900 * time.Microsecond, 999_900},
		{1500 * time.Millisecond, 1_500_000},
		{hour + time.Microsecond, 3_600_000_001},
		{30 * 24 * hour, 2_592_000_000_000},
		{century, 3_153_600_000_000_000},
		{2 * century, 6_307_200_000_000_000},
		{math.MaxInt64, 9_223_372_036_854_776},
	}
}
