package specs

import (
	"fmt"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// purging is the removal of rows that lapsed long enough ago.
func purging(w *world) {
	Describe("a purge", func() {
		It("removes what lapsed at least that long ago, and nothing that lapsed later", func(ctx SpecContext) {
			w.ours.grants(ctx, "first", ada, hour)
			w.ours.grants(ctx, "second", bob, 2*hour)
			w.Advance(ctx, 3*hour-w.step())
			Expect(w.theirs.Purge(ctx, 2*hour)).To(BeZero())
			w.Advance(ctx, w.step())
			Expect(w.theirs.Purge(ctx, 2*hour)).To(Equal(1))
			Expect(w.ours.lists(ctx, "")).To(Equal([]string{"second"}))
			Expect(w.theirs.Purge(ctx, 2*hour)).To(BeZero())
			Expect(w.theirs.Purge(ctx, hour)).To(Equal(1))
			Expect(w.ours.rows(ctx)).To(BeEmpty())
		})

		It("L1 never removes a live lock, until its last moment", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			Expect(w.theirs.Purge(ctx, 0)).To(BeZero())
			w.Advance(ctx, hour-w.step())
			before := w.theirs.rows(ctx)
			Expect(w.theirs.Purge(ctx, 0)).To(BeZero())
			Expect(w.theirs.rows(ctx)).To(Equal(before))
			Expect(lock.Release(ctx)).To(BeTrue())
		})

		It("L1 never removes a lock that was renewed since", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			w.Advance(ctx, hour/2)
			Expect(lock.Renew(ctx, 2*hour)).To(BeTrue())
			w.Advance(ctx, hour)
			Expect(w.theirs.Purge(ctx, 0)).To(BeZero())
			Expect(lock.Renew(ctx, hour)).To(BeTrue())
		})

		DescribeTable("of a negative age is ErrInvalidTTL, and removes nothing",
			func(ctx SpecContext, age time.Duration) {
				w.ours.grants(ctx, "live", ada, 2*hour)
				w.ours.grants(ctx, "lapsed", ada, hour)
				w.Advance(ctx, hour)
				before := w.theirs.rows(ctx)
				removed, err := w.ours.Purge(ctx, age)
				Expect(removed).To(BeZero())
				Expect(err).To(And(MatchError(namedlock.ErrInvalidTTL), MatchError(namedlock.ErrDatabase)))
				Expect(w.theirs.rows(ctx)).To(Equal(before))
			},
			Entry("by a nanosecond", time.Duration(-1)),
			Entry("by an hour", -hour),
			Entry("by as much as can be", time.Duration(math.MinInt64)),
		)

		It("of the greatest age removes nothing, and doesn't wrap", func(ctx SpecContext) {
			w.ours.grants(ctx, nightly, ada, hour)
			w.Advance(ctx, 2*hour)
			Expect(w.theirs.Purge(ctx, math.MaxInt64)).To(BeZero())
			Expect(w.theirs.rows(ctx)).To(HaveLen(1))
		})

		It("removes a great many rows, page by page, and leaves each live one among them", func(ctx SpecContext) {
			w.hold(ctx, numbered("many", 1200))
			w.ours.grants(ctx, "live", ada, 3*hour)
			w.ours.grants(ctx, "many/0600/live", ada, 3*hour)
			w.Advance(ctx, hour)
			Expect(w.theirs.Purge(ctx, 0)).To(Equal(1200))
			Expect(w.ours.lists(ctx, "")).To(Equal([]string{"live", "many/0600/live"}))
		})

		It("removes at the port no more than a page, and says where the next begins", func(ctx SpecContext) {
			w.hold(ctx, []string{"a", "b", "d", "e", "f"})
			w.ours.grants(ctx, "c", ada, 3*hour)
			w.Advance(ctx, hour)
			for removed, page := 0, (ports.Page{Limit: 2}); ; {
				purged := valid(w.Repository.Purge(ctx, domain.Age{}, page))
				Expect(purged.Removed).To(BeNumerically("<=", 2))
				removed += purged.Removed
				Expect(w.theirs.rows(ctx)).To(HaveLen(6 - removed))
				if purged.Last == (domain.Name{}) {
					break
				}
				Expect(purged.Last.String() > page.After.String()).To(BeTrue(), "the next page begins further on")
				page.After = purged.Last
			}
			Expect(w.theirs.lists(ctx, "")).To(Equal([]string{"c"}))
		})

		It("looks only at names after the one where its page begins", func(ctx SpecContext) {
			w.hold(ctx, []string{"a", "b", "c"})
			w.Advance(ctx, hour)
			Expect(valid(w.Repository.Purge(ctx, domain.Age{}, ports.Page{Limit: 10, After: nameOf("b")})).Removed).To(Equal(1))
			Expect(w.theirs.lists(ctx, "")).To(Equal([]string{"a", "b"}))
		})

		It("L1 never removes what is granted anew beside it, in each of fifty rounds", func(ctx SpecContext) {
			for round := range 50 {
				owner := fmt.Sprintf("owner %d", round)
				w.Advance(ctx, hour)
				answers := atOnce(6, func(i int) answer {
					if i < 2 {
						_, err := w.side(i).Purge(ctx, 0)
						return answer{err: err}
					}
					lock, _, err := w.side(i).TryLock(ctx, fmt.Sprintf("lapsed/%d", i), owner, hour)
					return answer{lock != nil, err}
				})
				Expect(trueOnes(answers)).To(Equal(4))
				Expect(w.theirs.lists(ctx, "")).To(HaveLen(4))
			}
		})
	})
}
