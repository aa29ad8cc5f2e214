package specs

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// endedContext is the reverse of L2, a store that is not asked has not refused, and M8 for a context that ends.
func endedContext(w *world) {
	Describe("a context that has ended", func() {
		var lock *namedlock.Lock
		var cancelled, late context.Context

		BeforeEach(func(ctx SpecContext) {
			lock = w.ours.grants(ctx, nightly, ada, hour)
			cancelled, late = cancelledOf(ctx), lateOf(ctx)
		})

		It("L2 fails a try, also where somebody holds the lock: an error is never a refusal", func() {
			w.expectTryFails(cancelled, nightly, bob, hour, namedlock.ErrDatabase, context.Canceled)
			w.expectTryFails(late, nightly, bob, hour, namedlock.ErrDatabase, context.DeadlineExceeded)
			w.expectTryFails(cancelled, nightly, ada, hour, namedlock.ErrDatabase, context.Canceled)
		})

		It("L2 fails a try for a free name, which the next asker is then granted", func(ctx SpecContext) {
			w.expectTryFails(cancelled, "free", ada, hour, namedlock.ErrDatabase, context.Canceled)
			w.expectTryFails(late, "free", ada, hour, namedlock.ErrDatabase, context.DeadlineExceeded)
			Expect(w.theirs.rows(ctx)).To(HaveLen(1))
			w.theirs.grants(ctx, "free", bob, hour)
		})

		It("L2 fails a renewal, and the lock goes on as it was", func(ctx SpecContext) {
			before := w.theirs.rows(ctx)
			expectFailure(answerOf(lock.Renew(cancelled, 5*hour)), namedlock.ErrDatabase, context.Canceled)
			expectFailure(answerOf(lock.Renew(late, 5*hour)), namedlock.ErrDatabase, context.DeadlineExceeded)
			Expect(w.theirs.rows(ctx)).To(Equal(before))
			Expect(lock.Renew(ctx, hour)).To(BeTrue())
		})

		It("L2 fails every method of the port, as one that changed nothing", func(ctx SpecContext) {
			before := w.theirs.rows(ctx)
			for _, ask := range questions(w.Repository, claimOf(nightly, ada, hour), lock.Token()) {
				Expect(ask(cancelled)).To(And(MatchError(domain.ErrDatabase), MatchError(ports.ErrNoEffect), MatchError(context.Canceled)))
				Expect(ask(late)).To(And(MatchError(domain.ErrDatabase), MatchError(ports.ErrNoEffect), MatchError(context.DeadlineExceeded)))
			}
			Expect(w.theirs.rows(ctx)).To(Equal(before))
		})

		It("M8 does not keep a release from giving the lock back", func(ctx SpecContext) {
			Expect(lock.Release(cancelled)).To(BeTrue())
			Expect(w.theirs.grants(ctx, nightly, bob, hour).Release(lateOf(ctx))).To(BeTrue())
		})
	})

	Describe("a context that ends while the store is asked", func() {
		It("M8 leaves nothing behind, once the locker was closed: every name that was not granted goes to the next asker", func(ctx SpecContext) {
			const calls = 60
			hasty := namedlock.New(unclosable{w.Repository})
			attempts := atOnce(calls, func(i int) attempt {
				brief, cancel := context.WithTimeout(ctx, time.Duration(i)*50*time.Microsecond)
				defer cancel()
				lock, incumbent, err := hasty.TryLock(brief, fmt.Sprintf("hasty/%d", i), ada, hour)
				return attempt{lock, incumbent, err}
			})
			Expect(hasty.Close()).To(Succeed())
			for i, attempt := range attempts {
				Expect(attempt.incumbent).To(BeNil())
				if attempt.err != nil {
					Expect(attempt.err).To(MatchError(namedlock.ErrDatabase))
					w.theirs.grants(ctx, fmt.Sprintf("hasty/%d", i), bob, hour)
				} else {
					Expect(attempt.lock.Release(ctx)).To(BeTrue())
				}
			}
		})
	})
}

// cancelledOf returns a context that was cancelled.
func cancelledOf(ctx context.Context) context.Context {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	return cancelled
}

// lateOf returns a context whose deadline has passed.
func lateOf(ctx context.Context) context.Context {
	late, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	DeferCleanup(cancel)
	return late
}

// unclosable keeps the repository open when the locker on it is closed.
type unclosable struct{ ports.Repository }

func (unclosable) Close() error { return nil }
