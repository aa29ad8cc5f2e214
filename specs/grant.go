package specs

import (
	"fmt"
	"runtime"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// staleHandle is M1: a handle speaks for its grant and for no later one, not even of its own owner.
func staleHandle(w *world) {
	Describe("a stale handle", func() {
		var stale *namedlock.Lock

		BeforeEach(func(ctx SpecContext) {
			stale = w.ours.grants(ctx, nightly, ada, hour)
		})

		successions := func(title string, check func(ctx SpecContext, successor *namedlock.Lock)) {
			It("M1 "+title+", when the same owner was granted the name anew after a lapse", func(ctx SpecContext) {
				w.Advance(ctx, hour)
				check(ctx, w.theirs.grants(ctx, nightly, ada, hour))
			})
			It("M1 "+title+", when the same owner was granted the name anew after a break", func(ctx SpecContext) {
				Expect(w.theirs.Break(ctx, nightly, stale.Token())).To(BeTrue())
				check(ctx, w.theirs.grants(ctx, nightly, ada, hour))
			})
			It("M1 "+title+", when another owner had the name in between", func(ctx SpecContext) {
				w.Advance(ctx, hour)
				Expect(w.theirs.grants(ctx, nightly, bob, hour).Release(ctx)).To(BeTrue())
				check(ctx, w.theirs.grants(ctx, nightly, ada, hour))
			})
		}

		successions("cannot prolong its successor", func(ctx SpecContext, successor *namedlock.Lock) {
			before := w.theirs.row(ctx, nightly)
			Expect(stale.Renew(ctx, 5*hour)).To(BeFalse())
			Expect(w.theirs.row(ctx, nightly)).To(Equal(before))
			Expect(successor.Renew(ctx, hour)).To(BeTrue())
		})

		successions("cannot free its successor", func(ctx SpecContext, successor *namedlock.Lock) {
			before := w.theirs.row(ctx, nightly)
			Expect(stale.Release(ctx)).To(BeFalse())
			Expect(w.theirs.row(ctx, nightly)).To(Equal(before))
			Expect(successor.Release(ctx)).To(BeTrue())
		})

		It("M1 cannot free its successor even when that has lapsed too", func(ctx SpecContext) {
			w.Advance(ctx, hour)
			successor := w.theirs.grants(ctx, nightly, ada, hour)
			w.Advance(ctx, hour)
			Expect(stale.Release(ctx)).To(BeFalse())
			Expect(successor.Release(ctx)).To(BeTrue())
		})

		It("M1 leaves its successor alone when they meet: a renewal, releases and a break in flight, in each of fifty rounds", func(ctx SpecContext) {
			for range 50 {
				again := w.theirs.grants(ctx, nightly, ada, hour)
				w.meetSuccessor(ctx, again)
				Expect(w.ours.sees(ctx, nightly).Owner).To(Equal(bob))
				Expect(w.theirs.grants(ctx, nightly, bob, hour).Release(ctx)).To(BeTrue())
			}
		})

		It("M1 is never heard again once a later grant has begun, also in a crowd whose members stall", func(ctx SpecContext) {
			var newest atomic.Int64
			faults := atOnce(16, func(i int) string { return w.stallNowAndThen(ctx, i, &newest) })
			Expect(faults).To(HaveEach(BeEmpty()))
		})
	})
}

// meetSuccessor lets a renewal, a break and releases of the lock run beside the tries of the next owner, Bob, who is
// granted the name in the end.
func (w *world) meetSuccessor(ctx SpecContext, lock *namedlock.Lock) {
	GinkgoHelper()
	endings := []func() (bool, error){
		func() (bool, error) { return lock.Renew(ctx, hour) },
		func() (bool, error) { return w.ours.Break(ctx, nightly, lock.Token()) },
		func() (bool, error) { return lock.Release(ctx) },
		func() (bool, error) { return lock.Release(ctx) },
	}
	var ended atomic.Int32
	answers := atOnce(len(endings)+1, func(i int) answer {
		if i == len(endings) {
			return answerOf(w.triesUntil(ctx, func() bool { return int(ended.Load()) == len(endings) }))
		}
		defer ended.Add(1)
		return answerOf(endings[i]())
	})
	trueOnes(answers)
	Expect(answers[len(endings)].yes).To(BeTrue(), "the lock was ended, and its name never granted")
}

// triesUntil lets Bob try until he is granted the name, and no more than once after the given moment.
func (w *world) triesUntil(ctx SpecContext, over func() bool) (bool, error) {
	for {
		last := over()
		lock, _, err := w.ours.TryLock(ctx, nightly, bob, hour)
		if lock != nil || err != nil || last {
			return lock != nil, err
		}
		runtime.Gosched()
	}
}

// stallNowAndThen asks for one name again and again as one of a few owners. With each grant it stalls beyond its deadline or
// doesn't, and then renews and releases. It returns what it was answered wrongly.
func (w *world) stallNowAndThen(ctx SpecContext, member int, newest *atomic.Int64) string {
	for round := range 50 {
		lock, _, err := w.side(member).TryLock(ctx, nightly, fmt.Sprintf("owner %d", member%4), hour)
		if err != nil {
			return err.Error()
		}
		if lock == nil {
			continue
		}
		raise(newest, lock.Token())
		if (member+round)%3 == 0 {
			w.Advance(ctx, hour)
		}
		if fault := heard(ctx, lock, newest); fault != "" {
			return fault
		}
	}
	return ""
}

// heard renews and releases. Where a later grant is known to have begun before the call, a true is a fault.
func heard(ctx SpecContext, lock *namedlock.Lock, newest *atomic.Int64) string {
	late := newest.Load() > int64(lock.Token())
	renewed, err := lock.Renew(ctx, hour)
	if err != nil || late && renewed {
		return fmt.Sprintf("renewal of %d: %t, %v", lock.Token(), renewed, err)
	}
	late = newest.Load() > int64(lock.Token())
	released, err := lock.Release(ctx)
	if err != nil || late && released {
		return fmt.Sprintf("release of %d: %t, %v", lock.Token(), released, err)
	}
	return ""
}

// raise makes newest the token, unless it is larger already.
func raise(newest *atomic.Int64, token domain.Token) {
	for {
		known := newest.Load()
		if known >= int64(token) || newest.CompareAndSwap(known, int64(token)) {
			return
		}
	}
}
