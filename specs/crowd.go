package specs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

// crowd is L1 and L2 under contention: however many ask at once, one is granted and the others get an answer.
func crowd(w *world) {
	const size = 100

	Describe("a crowd", func() {
		It("L1 of a hundred who ask at once for a name that never existed exactly one is granted it, in each of a hundred rounds", func(ctx SpecContext) {
			for round := range 100 {
				name := fmt.Sprintf("never before/%d", round)
				expectOneWinner(w.crowd(ctx, name, size))
			}
		})

		It("L1 of a hundred who ask at once for a lapsed name exactly one is granted it, in each of thirty rounds", func(ctx SpecContext) {
			w.ours.grants(ctx, nightly, "the first", hour)
			for range 30 {
				w.Advance(ctx, hour)
				expectOneWinner(w.crowd(ctx, nightly, size))
			}
		})

		It("L2 all that lose meet the one who won, and what it won stands", func(ctx SpecContext) {
			attempts := w.crowd(ctx, nightly, size)
			winner := expectOneWinner(attempts)
			row := w.theirs.row(ctx, nightly)
			Expect(row.Owner().String()).To(Equal(winner.Owner()))
			Expect(row.Deadline().Time()).To(Equal(winner.Deadline()))
			for _, attempt := range attempts {
				if attempt.incumbent != nil {
					Expect(attempt.incumbent.Owner).To(Equal(winner.Owner()))
					Expect(attempt.incumbent.Token).To(Equal(winner.Token()))
					Expect(attempt.incumbent.Deadline).To(Equal(winner.Deadline()))
				}
			}
		})

		It("L5 the same owner, asking a hundred times at once, is granted one and the same lock", func(ctx SpecContext) {
			attempts := atOnce(size, func(i int) attempt { return w.side(i).attempts(ctx, nightly, ada) })
			row := w.theirs.row(ctx, nightly)
			for _, attempt := range attempts {
				Expect(attempt.err).NotTo(HaveOccurred())
				Expect(attempt.lock).NotTo(BeNil())
				Expect(attempt.lock.Token()).To(Equal(row.Token()))
				Expect(attempt.lock.Deadline()).To(Equal(row.Deadline().Time()))
			}
		})

		It("L8 of ten releases of one grant at once exactly one is true, in each of twenty rounds", func(ctx SpecContext) {
			for range 20 {
				handles := []*namedlock.Lock{w.ours.grants(ctx, nightly, ada, hour), w.theirs.grants(ctx, nightly, ada, hour)}
				answers := atOnce(10, func(i int) answer { return answerOf(handles[i%2].Release(ctx)) })
				Expect(trueOnes(answers)).To(Equal(1))
			}
		})

		It("L7 a renewal beside a release never brings the lock back, in each of fifty rounds", func(ctx SpecContext) {
			for range 50 {
				mine, again := w.ours.grants(ctx, nightly, ada, hour), w.theirs.grants(ctx, nightly, ada, hour)
				answers := atOnce(4, func(i int) answer {
					if i == 0 {
						return answerOf(again.Release(ctx))
					}
					return answerOf(mine.Renew(ctx, hour))
				})
				Expect(answers[0]).To(Equal(answer{yes: true}))
				trueOnes(answers)
				Expect(w.ours.rows(ctx)).To(BeEmpty())
			}
		})
	})
}

// attempt is what a try answered.
type attempt struct {
	lock      *namedlock.Lock
	incumbent *namedlock.Incumbent
	err       error
}

func (p party) attempts(ctx context.Context, name, owner string) attempt {
	lock, incumbent, err := p.TryLock(ctx, name, owner, hour)
	return attempt{lock, incumbent, err}
}

// side returns one of the two parties, in turn.
func (w *world) side(i int) party { return []party{w.ours, w.theirs}[i%2] }

// crowd lets n owners ask for a name at once, half of them through each handle.
func (w *world) crowd(ctx context.Context, name string, n int) []attempt {
	return atOnce(n, func(i int) attempt { return w.side(i).attempts(ctx, name, fmt.Sprintf("owner %d", i)) })
}

// expectOneWinner expects one lock, no error, and an incumbent for everybody else.
func expectOneWinner(attempts []attempt) *namedlock.Lock {
	GinkgoHelper()
	var winners []*namedlock.Lock
	for _, attempt := range attempts {
		Expect(attempt.err).NotTo(HaveOccurred())
		Expect(attempt.lock == nil).NotTo(Equal(attempt.incumbent == nil), "exactly one of lock and incumbent")
		if attempt.lock != nil {
			winners = append(winners, attempt.lock)
		}
	}
	Expect(winners).To(HaveLen(1))
	return winners[0]
}

// answer is a yes or no from the store.
type answer struct {
	yes bool
	err error
}

func answerOf(yes bool, err error) answer { return answer{yes, err} }

// trueOnes counts the answers that are true, and expects no error among them.
func trueOnes(answers []answer) (n int) {
	GinkgoHelper()
	for _, answer := range answers {
		Expect(answer.err).NotTo(HaveOccurred())
		if answer.yes {
			n++
		}
	}
	return n
}

// atOnce calls ask from n goroutines that start together, in any order, and returns what they got.
func atOnce[T any](n int, ask func(i int) T) []T {
	results := make([]T, n)
	start := make(chan struct{})
	var ready, done sync.WaitGroup
	ready.Add(n)
	for _, i := range rand.Perm(n) {
		done.Go(func() {
			defer GinkgoRecover()
			ready.Done()
			<-start
			results[i] = ask(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
	return results
}
