package specs

import (
	"fmt"
	"runtime"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// tokens is M2: the number of a grant is larger than that of every earlier grant of the name.
func tokens(w *world) {
	Describe("a fencing token", func() {
		// growsOver declares that tokens grow when end is how one grant ends before the next begins.
		growsOver := func(ending string, end func(ctx SpecContext, lock *namedlock.Lock)) {
			It("M2 grows over "+ending, func(ctx SpecContext) {
				last := domain.Token(0)
				for i := range 5 {
					lock := w.side(i).grants(ctx, nightly, []string{ada, bob}[i/2%2], hour)
					Expect(lock.Token()).To(BeNumerically(">", last))
					last = lock.Token()
					end(ctx, lock)
				}
			})
		}

		growsOver("a release", func(ctx SpecContext, lock *namedlock.Lock) {
			Expect(lock.Release(ctx)).To(BeTrue())
		})
		growsOver("a lapse", func(ctx SpecContext, _ *namedlock.Lock) {
			w.Advance(ctx, hour)
		})
		growsOver("a release after the lapse", func(ctx SpecContext, lock *namedlock.Lock) {
			w.Advance(ctx, hour)
			Expect(lock.Release(ctx)).To(BeTrue())
		})
		growsOver("a break", func(ctx SpecContext, lock *namedlock.Lock) {
			Expect(w.theirs.Break(ctx, nightly, lock.Token())).To(BeTrue())
		})
		growsOver("a purge", func(ctx SpecContext, _ *namedlock.Lock) {
			w.Advance(ctx, hour)
			Expect(w.theirs.Purge(ctx, 0)).To(Equal(1))
		})
		growsOver("a withdrawal", func(ctx SpecContext, _ *namedlock.Lock) {
			row := w.theirs.row(ctx, nightly)
			Expect(w.Rival.Withdraw(ctx, domain.Claim{ID: row.Claim(), Name: row.Name(), Owner: row.Owner()})).To(BeTrue())
		})

		It("M2 stays the same through renewals", func(ctx SpecContext) {
			lock := w.ours.grants(ctx, nightly, ada, hour)
			token := lock.Token()
			Expect(lock.Renew(ctx, 2*hour)).To(BeTrue())
			Expect(lock.Token()).To(Equal(token))
			Expect(w.theirs.sees(ctx, nightly).Token).To(Equal(token))
		})

		It("M2 grows for each name when every row of the store has gone", func(ctx SpecContext) {
			last := map[string]domain.Token{}
			for range 3 {
				for i, name := range []string{"first", "second", "third"} {
					lock := w.side(i).grants(ctx, name, ada, hour)
					Expect(lock.Token()).To(BeNumerically(">", last[name]))
					last[name] = lock.Token()
				}
				w.Advance(ctx, hour)
				Expect(w.ours.Purge(ctx, 0)).To(Equal(3))
				Expect(w.theirs.rows(ctx)).To(BeEmpty())
			}
		})

		It("M2 grows in the order of the grants, also when many acquire and release at once", func(ctx SpecContext) {
			var witness witness
			faults := atOnce(16, func(i int) string {
				for range 60 {
					if fault := witness.meet(ctx, w.side(i), fmt.Sprintf("owner %d", i)); fault != "" {
						return fault
					}
				}
				return ""
			})
			Expect(faults).To(HaveEach(BeEmpty()))
			Expect(witness.grants).To(BeNumerically(">", 10), "there was hardly any contention")
		})
	})
}

// witness sees one grant after another of one name: what it notes while a lock is held is in the order of the grants.
type witness struct {
	mu     sync.Mutex
	last   namedlock.Token
	inside int
	grants int
}

// meet asks once for the name, and when it is granted goes through the witness and releases. It returns what was wrong.
func (v *witness) meet(ctx SpecContext, p party, owner string) string {
	lock, _, err := p.TryLock(ctx, nightly, owner, hour)
	if err != nil {
		return err.Error()
	}
	if lock == nil {
		runtime.Gosched()
		return ""
	}
	fault := v.enter(lock.Token())
	runtime.Gosched()
	v.leave()
	if released, err := lock.Release(ctx); err != nil || !released {
		return fmt.Sprintf("release of a live lock: %t, %v", released, err)
	}
	return fault
}

func (v *witness) enter(token namedlock.Token) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	last := v.last
	v.grants++
	v.inside++
	v.last = max(last, token)
	switch {
	case v.inside > 1:
		return "two hold the lock at once"
	case token <= last:
		return fmt.Sprintf("token %d was granted after %d", token, last)
	}
	return ""
}

func (v *witness) leave() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.inside--
}
