package specs

import (
	"context"
	"errors"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

// waiting is L4 and M8 for those who wait for a lock.
func waiting(w *world) {
	Describe("whoever waits", func() {
		It("L4 is granted the name when its holder releases it, long before the deadline", func(ctx SpecContext) {
			held := w.theirs.grants(ctx, nightly, ada, hour)
			waiter := waits(ctx, w.ours, bob)
			Consistently(waiter).WithTimeout(brief).ShouldNot(Receive())
			Expect(held.Release(ctx)).To(BeTrue())
			var got attempt
			Eventually(waiter).WithTimeout(soon).Should(Receive(&got))
			Expect(got.err).NotTo(HaveOccurred())
			Expect(got.lock.Token()).To(BeNumerically(">", held.Token()))
			w.theirs.refuses(ctx, nightly, ada, hour)
		})

		It("L4 is granted the name when its lock has lapsed", func(ctx SpecContext) {
			w.theirs.grants(ctx, nightly, ada, hour)
			waiter := waits(ctx, w.ours, bob)
			Consistently(waiter).WithTimeout(brief).ShouldNot(Receive())
			w.Advance(ctx, hour)
			var got attempt
			Eventually(waiter).WithTimeout(soon).Should(Receive(&got))
			Expect(got.err).NotTo(HaveOccurred())
		})

		It("M8 takes nothing later when it gave up, and tells who was in the way", func(ctx SpecContext) {
			held := w.theirs.grants(ctx, nightly, ada, hour)
			impatient, cancel := context.WithCancel(ctx)
			waiter := waits(impatient, w.ours, bob)
			Consistently(waiter).WithTimeout(brief).ShouldNot(Receive())
			cancel()
			var got attempt
			Eventually(waiter).WithTimeout(soon).Should(Receive(&got))
			Expect(got.err).To(And(MatchError(context.Canceled), Not(MatchError(namedlock.ErrDatabase))))
			var inTheWay *namedlock.HeldError
			Expect(errors.As(got.err, &inTheWay)).To(BeTrue())
			Expect(inTheWay.Incumbent.Token).To(Equal(held.Token()))
			Expect(held.Release(ctx)).To(BeTrue())
			Consistently(func() int { return len(w.theirs.rows(ctx)) }).WithTimeout(brief).Should(BeZero())
		})

		It("L3 only looks until the name is free, and takes nothing: after a release, a break, a lapse", func(ctx SpecContext) {
			for _, ending := range []func(*namedlock.Lock){
				func(lock *namedlock.Lock) { Expect(lock.Release(ctx)).To(BeTrue()) },
				func(lock *namedlock.Lock) { Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue()) },
				func(*namedlock.Lock) { w.Advance(ctx, hour) },
			} {
				held := w.theirs.grants(ctx, nightly, ada, hour)
				free := make(chan error, 1)
				go func() { free <- w.ours.UntilFree(ctx, nightly) }()
				Consistently(free).WithTimeout(brief).ShouldNot(Receive())
				ending(held)
				Eventually(free).WithTimeout(soon).Should(Receive(BeNil()))
				w.theirs.grants(ctx, nightly, bob, hour)
				Expect(w.theirs.grants(ctx, nightly, bob, hour).Release(ctx)).To(BeTrue())
			}
		})

		It("L1 never holds the name beside another, however many wait on both sides", func(ctx SpecContext) {
			const crowd = 10
			var holders counter
			var all sync.WaitGroup
			for i := range 2 * crowd {
				side := []party{w.ours, w.theirs}[i%2]
				all.Go(func() {
					defer GinkgoRecover()
					Expect(side.Do(ctx, nightly, fmt.Sprintf("owner %d", i), hour, func(context.Context) error {
						defer holders.enter()()
						return nil
					})).To(Succeed())
				})
			}
			all.Wait()
			Expect(holders.most).To(Equal(1))
			Expect(holders.entered).To(Equal(2 * crowd))
		})
	})
}

// waits lets Bob, or who it is, wait in the background.
func waits(ctx context.Context, p party, owner string) <-chan attempt {
	done := make(chan attempt, 1)
	go func() {
		lock, err := p.Lock(ctx, nightly, owner, hour)
		done <- attempt{lock: lock, err: err}
	}()
	return done
}

// counter counts who is inside at the same time.
type counter struct {
	mu                    sync.Mutex
	inside, most, entered int
}

// enter counts one in, and returns what counts him out.
func (c *counter) enter() (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside++
	c.entered++
	c.most = max(c.most, c.inside)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.inside--
	}
}
