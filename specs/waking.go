package specs

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/ports"
)

// soon is long enough for anything that is sure to happen. Nothing waits for so long.
const soon = 10 * time.Second

// waking is L4 for those who wait: whoever removes a row, they are told.
func waking(w *world) {
	Describe("a watch", func() {
		var waker ports.Waker

		BeforeEach(func() {
			var can bool
			if waker, can = w.Repository.(ports.Waker); !can {
				Skip("the store does not tell")
			}
		})

		It("L4 tells when it is in force, and then of a release, a break and a withdrawal by anybody", func(ctx SpecContext) {
			rings, stop := waker.Watch(nameOf(nightly))
			defer stop()
			Eventually(rings).WithTimeout(soon).Should(Receive())
			for _, who := range []party{w.ours, w.theirs} {
				lock := who.grants(ctx, nightly, ada, hour)
				Expect(lock.Release(ctx)).To(BeTrue())
				Eventually(rings).WithTimeout(soon).Should(Receive())

				lock = who.grants(ctx, nightly, ada, hour)
				Expect(who.Break(ctx, nightly, lock.Token())).To(BeTrue())
				Eventually(rings).WithTimeout(soon).Should(Receive())

				claim := claimOf(nightly, ada, hour)
				who.acquires(ctx, claim)
				Expect(who.repo.Withdraw(ctx, claim)).To(BeTrue())
				Eventually(rings).WithTimeout(soon).Should(Receive())
			}
		})

		It("L4 tells each of those who watch a name, and goes on when one of them stops", func(ctx SpecContext) {
			first, stopFirst := waker.Watch(nameOf(nightly))
			second, stopSecond := waker.Watch(nameOf(nightly))
			defer stopSecond()
			Eventually(first).WithTimeout(soon).Should(Receive())
			Eventually(second).WithTimeout(soon).Should(Receive())
			lock := w.theirs.grants(ctx, nightly, ada, hour)
			Expect(lock.Release(ctx)).To(BeTrue())
			Eventually(first).WithTimeout(soon).Should(Receive())
			Eventually(second).WithTimeout(soon).Should(Receive())
			stopFirst()
			stopFirst()
			lock = w.theirs.grants(ctx, nightly, ada, hour)
			Expect(lock.Release(ctx)).To(BeTrue())
			Eventually(second).WithTimeout(soon).Should(Receive())
		})

		It("L11 tells of a store that is closed, before and after", func() {
			before, stop := waker.Watch(nameOf(nightly))
			defer stop()
			Eventually(before).WithTimeout(soon).Should(Receive())
			Expect(w.Repository.Close()).To(Succeed())
			Eventually(before).WithTimeout(soon).Should(Receive())
			after, stop := waker.Watch(nameOf(nightly))
			defer stop()
			Eventually(after).WithTimeout(soon).Should(Receive())
		})
	})
}
