package specs

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// renewal is L6 and L7: a full window from now for whoever still holds the lock, and nothing for anybody else.
func renewal(w *world) {
	Describe("a renewal", func() {
		var lock *namedlock.Lock
		var grant domain.Grant

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
			grant = w.ours.row(ctx, nightly).Grant()
		})

		When("the lock is live", func() {
			It("L6 sets a full window from now", func(ctx SpecContext) {
				w.Advance(ctx, hour/2)
				verdict := valid(w.Repository.Renew(ctx, grant, ttlOf(2*hour)))
				Expect(verdict.Granted).To(BeTrue())
				Expect(verdict.Lock.Deadline()).To(Equal(verdict.At.After(ttlOf(2 * hour))))
				Expect(w.theirs.row(ctx, nightly)).To(Equal(verdict.Lock))
			})

			It("L6 is not added to what is left, nor to other renewals", func(ctx SpecContext) {
				for range 5 {
					Expect(lock.Renew(ctx, hour)).To(BeTrue())
				}
				Expect(w.theirs.sees(ctx, nightly).Remaining()).To(BeNumerically("<=", hour))
				w.Advance(ctx, hour)
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L6 may shorten the lock", func(ctx SpecContext) {
				Expect(lock.Renew(ctx, hour/4)).To(BeTrue())
				w.Advance(ctx, hour/4-w.step())
				w.theirs.refuses(ctx, nightly, bob, hour)
				w.Advance(ctx, w.step())
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L6 works until the last moment before the deadline, any number of times", func(ctx SpecContext) {
				for range 5 {
					w.Advance(ctx, hour-w.step())
					Expect(lock.Renew(ctx, hour)).To(BeTrue())
				}
				w.theirs.refuses(ctx, nightly, bob, hour)
			})

			It("L6 shows in the handle, and changes nothing of the row but its deadline", func(ctx SpecContext) {
				w.Advance(ctx, hour/2)
				before := w.theirs.row(ctx, nightly)
				Expect(lock.Renew(ctx, 2*hour)).To(BeTrue())
				after := w.theirs.row(ctx, nightly)
				Expect(after.Deadline().Time()).To(Equal(lock.Deadline()))
				Expect(after).To(Equal(domain.Restore(before.Grant(), before.Claim(), before.AcquiredAt(), after.Deadline())))
			})

			It("L6 leaves every other lock as it was", func(ctx SpecContext) {
				w.theirs.grants(ctx, "other", ada, hour)
				before := w.theirs.row(ctx, "other")
				Expect(lock.Renew(ctx, 2*hour)).To(BeTrue())
				Expect(w.theirs.row(ctx, "other")).To(Equal(before))
			})

			It("L7 is refused to another owner that knows the token", func(ctx SpecContext) {
				w.expectRenewalRefused(ctx, domain.Grant{Name: grant.Name, Owner: ownerOf(bob), Token: grant.Token})
			})

			It("L7 is refused to a token that is not the grant's", func(ctx SpecContext) {
				for _, token := range []domain.Token{grant.Token - 1, grant.Token + 1, 0, -grant.Token} {
					w.expectRenewalRefused(ctx, domain.Grant{Name: grant.Name, Owner: grant.Owner, Token: token})
				}
			})
		})

		When("the lock has lapsed and nobody took it", func() {
			w.timing.exactly(func() {
				It("L7 is refused from the deadline on, and granted until then", func(ctx SpecContext) {
					w.Advance(ctx, hour-w.step())
					Expect(lock.Renew(ctx, w.step())).To(BeTrue())
					w.Advance(ctx, w.step())
					Expect(lock.Renew(ctx, hour)).To(BeFalse())
				})
			})

			It("L7 is refused, and the row stays lapsed and unchanged", func(ctx SpecContext) {
				w.Advance(ctx, hour)
				w.expectRenewalRefused(ctx, grant)
				Expect(lock.Renew(ctx, 5*hour)).To(BeFalse())
				Expect(w.theirs.sees(ctx, nightly).Lapsed()).To(BeTrue())
				w.theirs.grants(ctx, nightly, bob, hour)
			})

			It("L7 is refused for ever after a renewal that shortened the lock", func(ctx SpecContext) {
				Expect(lock.Renew(ctx, hour/4)).To(BeTrue())
				w.Advance(ctx, hour/2)
				w.expectRenewalRefused(ctx, grant)
			})
		})

		When("somebody else took the lapsed lock", func() {
			It("L7 is refused, and the winner's row is untouched", func(ctx SpecContext) {
				w.Advance(ctx, hour)
				winner := w.theirs.grants(ctx, nightly, bob, hour)
				w.expectRenewalRefused(ctx, grant)
				Expect(lock.Renew(ctx, 5*hour)).To(BeFalse())
				Expect(winner.Renew(ctx, hour)).To(BeTrue())
			})
		})

		When("the row is gone", func() {
			DescribeTable("in whatever way",
				func(ctx SpecContext, remove func(ctx SpecContext)) {
					remove(ctx)
					w.expectRenewalRefused(ctx, grant)
					Expect(lock.Renew(ctx, hour)).To(BeFalse())
					Expect(w.theirs.rows(ctx)).To(BeEmpty())
					w.theirs.grants(ctx, nightly, bob, hour)
				},
				Entry("L7 is refused after a release, and inserts nothing", func(ctx SpecContext) {
					Expect(lock.Release(ctx)).To(BeTrue())
				}),
				Entry("L7 is refused after a break, and inserts nothing", func(ctx SpecContext) {
					Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
				}),
				Entry("L7 is refused after a purge, and inserts nothing", func(ctx SpecContext) {
					w.Advance(ctx, 2*hour)
					Expect(w.theirs.Purge(ctx, 0)).To(Equal(1))
				}),
			)
		})
	})
}

// expectRenewalRefused renews at the port, long and short, and expects a refusal that changes no row.
func (w *world) expectRenewalRefused(ctx SpecContext, grant domain.Grant) {
	GinkgoHelper()
	before := w.theirs.rows(ctx)
	for _, ttl := range []time.Duration{w.step(), 5 * hour} {
		Expect(w.Repository.Renew(ctx, grant, ttlOf(ttl))).To(Equal(domain.Verdict{}))
	}
	Expect(w.theirs.rows(ctx)).To(Equal(before))
}
