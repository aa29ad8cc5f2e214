package specs

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// batch is L6, L7 and L13 for many renewals at once: each is decided as if it were alone.
func batch(w *world) {
	Describe("a batch of renewals", func() {
		var batcher ports.BatchRenewer

		BeforeEach(func() {
			var can bool
			if batcher, can = w.Repository.(ports.BatchRenewer); !can {
				Skip("the store renews one by one")
			}
		})

		DescribeTable("in every state, at every instant",
			func(ctx SpecContext, op func(ports.BatchRenewer) operation) {
				for _, s := range w.scenes() {
					By(s.String())
					w.put(ctx, op(batcher), s)
				}
			},
			Entry("L13 renews a grant as the domain does", batching(scene.grant, 2*hour)),
			Entry("L13 shortens a grant as the domain does", batching(scene.grant, time.Microsecond)),
			Entry("L13 renews by another's name as the domain does", batching(scene.anothers, 2*hour)),
			Entry("L13 renews by an earlier token as the domain does", batching(scene.earlier, 2*hour)),
			Entry("L13 renews by a later token as the domain does", batching(scene.later, 2*hour)),
		)

		It("L13 answers each in its place, the granted and the refused, at one instant", func(ctx SpecContext) {
			const crowd = 300
			renewals := make([]ports.Renewal, crowd)
			for i := range renewals {
				lock := w.ours.acquires(ctx, claimOf(fmt.Sprintf("batch/%d", i), ada, hour)).Lock
				renewals[i] = ports.Renewal{Grant: lock.Grant(), TTL: ttlOf(time.Duration(i+1) * hour)}
				if i%3 == 0 {
					renewals[i].Grant.Token++
				}
			}
			answers := valid(batcher.RenewBatch(ctx, renewals))
			Expect(answers).To(HaveLen(crowd))
			for i, answer := range answers {
				Expect(answer.Undecided).To(BeFalse())
				Expect(answer.Verdict.Granted).To(Equal(i%3 != 0))
				if i%3 == 0 {
					continue
				}
				Expect(answer.Verdict.At).To(Equal(answers[1].Verdict.At))
				Expect(answer.Verdict.Lock.Deadline()).To(Equal(answer.Verdict.At.After(renewals[i].TTL)))
				Expect(w.theirs.row(ctx, renewals[i].Grant.Name.String())).To(Equal(answer.Verdict.Lock))
			}
		})

		It("L6 answers what is asked twice twice, and the last one stands", func(ctx SpecContext) {
			lock := w.ours.acquires(ctx, claimOf(nightly, ada, hour)).Lock
			other := w.ours.acquires(ctx, claimOf("other", ada, hour)).Lock
			answers := valid(batcher.RenewBatch(ctx, []ports.Renewal{
				{Grant: lock.Grant(), TTL: ttlOf(2 * hour)},
				{Grant: other.Grant(), TTL: ttlOf(hour)},
				{Grant: lock.Grant(), TTL: ttlOf(3 * hour)},
			}))
			Expect(answers).To(HaveLen(3))
			for i, ttl := range []time.Duration{2 * hour, hour, 3 * hour} {
				Expect(answers[i].Verdict.Granted).To(BeTrue())
				Expect(answers[i].Verdict.Lock.Deadline()).To(Equal(answers[i].Verdict.At.After(ttlOf(ttl))))
			}
			Expect(w.theirs.row(ctx, nightly)).To(Equal(answers[2].Verdict.Lock))
		})

		It("L7 never inserts: what was released stays away", func(ctx SpecContext) {
			lock := w.ours.acquires(ctx, claimOf(nightly, ada, hour)).Lock
			Expect(w.Repository.Release(ctx, lock.Grant())).To(BeTrue())
			answers := valid(batcher.RenewBatch(ctx, []ports.Renewal{{Grant: lock.Grant(), TTL: ttlOf(hour)}}))
			Expect(answers).To(Equal([]ports.Renewed{{}}))
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
		})

		It("L13 may be empty", func(ctx SpecContext) {
			Expect(batcher.RenewBatch(ctx, nil)).To(BeEmpty())
		})

		It("L2 fails as a whole, as one that changed nothing, when its context has ended", func(ctx SpecContext) {
			lock := w.ours.acquires(ctx, claimOf(nightly, ada, hour)).Lock
			_, err := batcher.RenewBatch(cancelledOf(ctx), []ports.Renewal{{Grant: lock.Grant(), TTL: ttlOf(5 * hour)}})
			Expect(err).To(And(MatchError(domain.ErrDatabase), MatchError(ports.ErrNoEffect), MatchError(context.Canceled)))
			Expect(w.theirs.row(ctx, nightly)).To(Equal(lock))
		})

		It("L11 fails when the store is closed", func(ctx SpecContext) {
			lock := w.ours.acquires(ctx, claimOf(nightly, ada, hour)).Lock
			Expect(w.Repository.Close()).To(Succeed())
			_, err := batcher.RenewBatch(ctx, []ports.Renewal{{Grant: lock.Grant(), TTL: ttlOf(hour)}})
			Expect(err).To(MatchError(domain.ErrClosed))
		})
	})
}

// batching is a renewal that travels in a batch with others, which are refused.
func batching(by func(scene) domain.Grant, ttl time.Duration) func(ports.BatchRenewer) operation {
	return func(batcher ports.BatchRenewer) operation {
		return func(s scene) question {
			alone := renewing(by, ttl)(s)
			alone.ask = func(ctx context.Context, _ ports.Repository) (outcome, error) {
				stranger := ports.Renewal{Grant: domain.Grant{Name: nameOf("nobody's"), Owner: ownerOf(ada), Token: 1}, TTL: ttlOf(hour)}
				answers, err := batcher.RenewBatch(ctx, []ports.Renewal{stranger, {Grant: by(s), TTL: ttlOf(ttl)}, stranger})
				if err != nil {
					return outcome{}, err
				}
				Expect(answers).To(HaveLen(3))
				Expect(answers[0]).To(Equal(ports.Renewed{}))
				Expect(answers[2]).To(Equal(ports.Renewed{}))
				Expect(answers[1].Undecided).To(BeFalse())
				return outcome{verdict: answers[1].Verdict}, nil
			}
			return alone
		}
	}
}
