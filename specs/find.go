package specs

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// finding is the look at one name.
func finding(w *world) {
	Describe("a look at a name", func() {
		It("shows nothing where nobody ever asked, and makes no row", func(ctx SpecContext) {
			entry, found, err := w.ours.Find(ctx, nightly)
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(BeFalse())
			Expect(entry).To(Equal(namedlock.Entry{}))
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
			Expect(w.Repository.Find(ctx, nameOf(nightly))).To(Equal(domain.Sighting{}))
		})

		It("shows nothing after a release", func(ctx SpecContext) {
			Expect(w.ours.grants(ctx, nightly, ada, hour).Release(ctx)).To(BeTrue())
			_, found, err := w.theirs.Find(ctx, nightly)
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(BeFalse())
		})

		It("shows who holds it, by which grant, since when, until when, and when that was seen", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			w.Advance(ctx, hour/4)
			before := w.now(ctx)
			row := w.ours.row(ctx, nightly)
			entry := w.theirs.sees(ctx, nightly)
			Expect(entry).To(Equal(namedlock.Entry{
				Name:       nightly,
				Owner:      ada,
				Token:      lock.Token(),
				AcquiredAt: row.AcquiredAt().Time(),
				Deadline:   row.Deadline().Time(),
				SeenAt:     entry.SeenAt,
			}))
			Expect(entry.SeenAt).To(BeTemporally(">=", before.Time()))
			Expect(entry.SeenAt).To(BeTemporally("<=", w.now(ctx).Time()))
			Expect(entry.Lapsed()).To(BeFalse())
		})

		It("L3 changes nothing, however often, live or lapsed", func(ctx SpecContext) {
			w.ours.grants(ctx, nightly, ada, hour)
			for range 2 {
				before := w.ours.rows(ctx)
				for range 5 {
					w.theirs.sees(ctx, nightly)
				}
				Expect(w.ours.rows(ctx)).To(Equal(before))
				w.Advance(ctx, hour)
			}
		})
	})
}
