package specs

import (
	"context"
	"errors"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
)

const (
	// brief is long enough for a wrong thing to happen.
	brief = 100 * time.Millisecond
	// kept is a ttl that is renewed in the course of a spec, in real time. A machine that stops for a second loses no such lock.
	kept = 3 * time.Second
	// fleeting is a ttl that passes in the course of a spec, in real time.
	fleeting = 600 * time.Millisecond
)

// keeping is M7 for work under a lock that is kept: it hears of a loss, and the lock is given back when it is over.
func keeping(w *world) {
	Describe("work under a lock that is kept", func() {
		It("L6 has its lock renewed while it runs, and given back when it is over", func(ctx SpecContext) {
			Expect(w.ours.Do(ctx, nightly, ada, kept, func(working context.Context) error {
				granted := w.theirs.row(ctx, nightly)
				w.Advance(ctx, kept/2)
				Eventually(func() bool {
					return w.theirs.row(ctx, nightly).Deadline() > granted.Deadline()
				}).WithTimeout(soon).Should(BeTrue())
				Expect(w.theirs.row(ctx, nightly).Token()).To(Equal(granted.Token()))
				Expect(working.Err()).NotTo(HaveOccurred())
				return nil
			})).To(Succeed())
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
		})

		It("M7 hears when the lock is broken, and does not free the next holder's", func(ctx SpecContext) {
			var next *namedlock.Lock
			err := w.ours.Do(ctx, nightly, ada, kept, func(working context.Context) error {
				Expect(w.theirs.Break(ctx, nightly, w.theirs.row(ctx, nightly).Token())).To(BeTrue())
				next = w.theirs.grants(ctx, nightly, bob, hour)
				Eventually(working.Done()).WithTimeout(soon).Should(BeClosed())
				return context.Cause(working)
			})
			Expect(err).To(MatchError(namedlock.ErrTaken))
			Expect(w.theirs.row(ctx, nightly).Token()).To(Equal(next.Token()))
		})

		It("M7 hears in time when the store is not there any more", func(ctx SpecContext) {
			began := time.Now()
			gone := errors.New("it went on although nobody could renew")
			locker := namedlock.New(w.Repository)
			err := locker.Do(ctx, nightly, ada, fleeting, func(working context.Context) error {
				Expect(w.Repository.Close()).To(Succeed())
				select {
				case <-working.Done():
					return nil
				case <-time.After(soon):
					return gone
				}
			})
			Expect(err).To(And(MatchError(namedlock.ErrLapsed), Not(MatchError(gone))))
			Expect(time.Since(began)).To(BeNumerically(">", fleeting/2))
		})

		It("L8 gives back what it held when it panics, and although its context has ended", func(ctx SpecContext) {
			ended, cancel := context.WithCancel(ctx)
			Expect(func() {
				_ = w.ours.Do(ended, nightly, ada, hour, func(context.Context) error {
					cancel()
					panic("the printer is on fire")
				})
			}).To(PanicWith("the printer is on fire"))
			Expect(w.theirs.rows(ctx)).To(BeEmpty())
		})

		It("L3 leaves a name taken for as long as it must be, without waiting", func(ctx SpecContext) {
			Expect(w.ours.Do(ctx, nightly, ada, hour, func(context.Context) error { return nil }, namedlock.AtLeast(3*hour))).To(Succeed())
			w.Advance(ctx, 2*hour)
			w.theirs.refuses(ctx, nightly, bob, hour)
			w.Advance(ctx, hour+time.Minute)
			w.theirs.grants(ctx, nightly, bob, hour)
		})
	})
}
