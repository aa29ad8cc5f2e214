package specs

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// closed is L11: a closed store answers nothing, and that is an error.
func closed(w *world) {
	Describe("a closed store", func() {
		var lock *namedlock.Lock

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
			Expect(w.ours.Close()).To(Succeed())
		})

		It("L11 fails a try for a free name, for a held one and by the holder, and calls none of them refused", func(ctx SpecContext) {
			w.expectTryFails(ctx, "free", bob, hour, namedlock.ErrClosed, namedlock.ErrDatabase)
			w.expectTryFails(ctx, nightly, bob, hour, namedlock.ErrClosed, namedlock.ErrDatabase)
			w.expectTryFails(ctx, nightly, ada, hour, namedlock.ErrClosed, namedlock.ErrDatabase)
		})

		It("L11 fails a renewal and a release", func(ctx SpecContext) {
			expectFailure(answerOf(lock.Renew(ctx, hour)), namedlock.ErrClosed, namedlock.ErrDatabase)
			expectFailure(answerOf(lock.Release(ctx)), namedlock.ErrClosed, namedlock.ErrDatabase)
		})

		It("L11 fails whoever looks, lists, breaks and purges", func(ctx SpecContext) {
			_, found, err := w.ours.Find(ctx, nightly)
			expectFailure(answer{found, err}, namedlock.ErrClosed, namedlock.ErrDatabase)
			expectFailure(answerOf(w.ours.Break(ctx, nightly, lock.Token())), namedlock.ErrClosed, namedlock.ErrDatabase)
			removed, err := w.ours.Purge(ctx, 0)
			expectFailure(answer{removed > 0, err}, namedlock.ErrClosed, namedlock.ErrDatabase)
			for entry, err := range w.ours.List(ctx, "") {
				expectFailure(answer{entry != namedlock.Entry{}, err}, namedlock.ErrClosed, namedlock.ErrDatabase)
			}
		})

		It("L11 fails every method of the port", func(ctx SpecContext) {
			for _, ask := range questions(w.Repository, claimOf(nightly, ada, hour), lock.Token()) {
				Expect(ask(ctx)).To(And(MatchError(domain.ErrClosed), MatchError(domain.ErrDatabase)))
				Expect(ask(cancelledOf(ctx))).To(MatchError(domain.ErrClosed))
			}
		})

		It("L11 can be closed twice", func() {
			Expect(w.ours.Close()).To(Succeed())
			Expect(w.Repository.Close()).To(Succeed())
		})

		It("L11 keeps its locks: another handle goes on, and sees them held until their deadline", func(ctx SpecContext) {
			if w.Rival == w.Repository {
				Skip("the store has one handle")
			}
			Expect(w.theirs.refuses(ctx, nightly, bob, hour).Token).To(Equal(lock.Token()))
			w.Advance(ctx, hour)
			w.theirs.grants(ctx, nightly, bob, hour)
		})
	})

	Describe("a store that is being closed", func() {
		It("L11 gives each caller an answer or a database error", func(ctx SpecContext) {
			outcomes := atOnce(30, func(i int) attempt {
				if i == 15 {
					return attempt{err: w.ours.Close()}
				}
				return w.ours.attempts(ctx, nightly, ada)
			})
			for i, outcome := range outcomes {
				if i == 15 {
					Expect(outcome.err).NotTo(HaveOccurred())
				} else if outcome.err != nil {
					Expect(outcome.err).To(MatchError(namedlock.ErrDatabase))
				} else {
					Expect(outcome.lock).NotTo(BeNil())
				}
			}
		})
	})
}

// expectFailure expects an error of the given kinds and no answer.
func expectFailure(given answer, kinds ...error) {
	GinkgoHelper()
	Expect(given.yes).To(BeFalse())
	for _, kind := range kinds {
		Expect(given.err).To(MatchError(kind))
	}
}

// questions are the methods of the port, asked about one claim and the token that it got.
func questions(repo ports.Repository, claim domain.Claim, token domain.Token) []func(context.Context) error {
	grant := domain.Grant{Name: claim.Name, Owner: claim.Owner, Token: token}
	page := ports.Page{Limit: 10}
	return []func(context.Context) error{
		func(ctx context.Context) error { _, err := repo.Acquire(ctx, claim); return err },
		func(ctx context.Context) error { _, err := repo.Renew(ctx, grant, claim.TTL); return err },
		func(ctx context.Context) error { _, err := repo.Release(ctx, grant); return err },
		func(ctx context.Context) error { _, err := repo.Withdraw(ctx, claim); return err },
		func(ctx context.Context) error { _, err := repo.Find(ctx, claim.Name); return err },
		func(ctx context.Context) error { _, err := repo.List(ctx, domain.Prefix{}, page); return err },
		func(ctx context.Context) error { _, err := repo.Break(ctx, claim.Name, token); return err },
		func(ctx context.Context) error { _, err := repo.Purge(ctx, domain.Age{}, page); return err },
	}
}
