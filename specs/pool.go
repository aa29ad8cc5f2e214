package specs

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// pool is M9 and M10: the caller's pool is used for the length of a call, and never closed.
func pool(w *world) {
	Describe("the caller's pool", func() {
		const held = 20

		It("M9 has all of its connections back while locks are held, renewed and refused", func(ctx SpecContext) {
			if w.ConnectionsInUse == nil {
				Skip("the store has no pool of the caller")
			}
			var locks []*namedlock.Lock
			for i := range held {
				locks = append(locks, w.ours.grants(ctx, fmt.Sprintf("held/%d", i), ada, hour))
				w.ours.refuses(ctx, locks[i].Name(), bob, hour)
				Expect(w.ConnectionsInUse()).To(BeZero())
			}
			for _, lock := range locks {
				Expect(lock.Renew(ctx, hour)).To(BeTrue())
				Expect(w.ConnectionsInUse()).To(BeZero())
				Expect(lock.Release(ctx)).To(BeTrue())
				Expect(w.ConnectionsInUse()).To(BeZero())
			}
		})

		It("M9 has all of its connections back after every operation, also after one that failed", func(ctx SpecContext) {
			if w.ConnectionsInUse == nil {
				Skip("the store has no pool of the caller")
			}
			for i := range questions(w.Repository, domain.Claim{}, 0) {
				claim := claimOf(nightly, ada, hour)
				token := w.ours.acquires(ctx, claim).Lock.Token()
				ask := questions(w.Repository, claim, token)[i]
				Expect(ask(ctx)).To(Succeed())
				Expect(w.ConnectionsInUse()).To(BeZero())
				Expect(ask(cancelledOf(ctx))).NotTo(Succeed())
				Expect(w.ConnectionsInUse()).To(BeZero())
			}
		})

		It("M10 still works after the store that was given it is closed", func(ctx SpecContext) {
			if w.Ping == nil {
				Skip("the store was given nothing that it could close")
			}
			w.ours.grants(ctx, nightly, ada, hour)
			Expect(w.ours.Close()).To(Succeed())
			Expect(w.Repository.Close()).To(Succeed())
			Expect(w.Ping(ctx)).To(Succeed())
		})
	})
}
