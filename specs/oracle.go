package specs

import (
	"context"
	"fmt"
	"math"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
)

// oracle is L13: package domain is the executable reference. In every state, and just before, at and just after the
// deadline, each operation answers, and leaves the row, as the rule of the domain says.
func oracle(w *world) {
	asker := func(owner string) operation {
		return acquiring(func(scene) domain.Claim { return claimOf(nightly, owner, 2*hour) })
	}

	Describe("every store alike", func() {
		DescribeTable("in every state, at every instant",
			func(ctx SpecContext, op operation) {
				for _, s := range w.scenes() {
					By(s.String())
					w.put(ctx, op, s)
				}
			},
			Entry("L13 grants and refuses Ada as the domain does", asker(ada)),
			Entry("L13 grants and refuses Bob as the domain does", asker(bob)),
			Entry("L13 grants and refuses a claim that is made twice as the domain does", acquiring(scene.claim)),

			Entry("L13 renews a grant as the domain does", renewing(scene.grant, 2*hour)),
			Entry("L13 shortens a grant as the domain does", renewing(scene.grant, time.Microsecond)),
			Entry("L13 renews for ever as the domain does", renewing(scene.grant, math.MaxInt64)),
			Entry("L13 renews by another's name as the domain does", renewing(scene.anothers, 2*hour)),
			Entry("L13 renews by an earlier token as the domain does", renewing(scene.earlier, 2*hour)),
			Entry("L13 renews by a later token as the domain does", renewing(scene.later, 2*hour)),

			Entry("L13 releases a grant as the domain does", releasing(scene.grant)),
			Entry("L13 releases by another's name as the domain does", releasing(scene.anothers)),
			Entry("L13 releases by an earlier token as the domain does", releasing(scene.earlier)),
			Entry("L13 releases by a later token as the domain does", releasing(scene.later)),

			Entry("L13 breaks a grant as the domain does", breakingBy(scene.grant)),
			Entry("L13 breaks by an earlier token as the domain does", breakingBy(scene.earlier)),
			Entry("L13 breaks by a later token as the domain does", breakingBy(scene.later)),

			Entry("L13 withdraws a claim as the domain does", withdrawing(scene.claim)),
			Entry("L13 withdraws another claim of the owner as the domain does", withdrawing(scene.anotherClaim)),
			Entry("L13 withdraws another owner's claim as the domain does", withdrawing(scene.anothersClaim)),

			Entry("L13 purges what has lapsed as the domain does", purgingAfter(0)),
			Entry("L13 purges what lapsed a while ago as the domain does", purgingAfter(w.step())),
			Entry("L13 purges what lapsed long ago as the domain does", purgingAfter(hour)),

			Entry("L13 shows a row as the domain keeps it", operation(looking)),
		)
	})
}

// scene is a state of one name: who was granted it (nobody: there is no row), and how far the time is from the deadline.
type scene struct {
	owner  string
	offset time.Duration
	held   domain.Lock
}

func (s scene) String() string {
	if s.owner == "" {
		return "nobody holds it"
	}
	return fmt.Sprintf("%s was granted it, %v from the deadline", s.owner, s.offset)
}

// scenes are all states that a name can be in, at all instants that matter.
func (w *world) scenes() []scene {
	offsets := []time.Duration{-hour, -w.step(), w.step(), hour}
	if w.timing == InjectedClock {
		offsets = append(offsets, 0)
	}
	scenes := []scene{{}}
	for _, offset := range offsets {
		scenes = append(scenes, scene{owner: ada, offset: offset}, scene{owner: bob, offset: offset})
	}
	return scenes
}

// enact leads an empty store into the scene.
func (w *world) enact(ctx context.Context, s scene) scene {
	GinkgoHelper()
	owner := s.owner
	if owner == "" {
		owner = ada
	}
	s.held = w.ours.acquires(ctx, claimOf(nightly, owner, 2*hour)).Lock
	if s.owner == "" {
		Expect(w.Repository.Release(ctx, s.held.Grant())).To(BeTrue())
	}
	w.Advance(ctx, 2*hour+s.offset)
	return s
}

// clear empties the store after a scene.
func (w *world) clear(ctx context.Context) {
	GinkgoHelper()
	for _, row := range w.theirs.rows(ctx) {
		Expect(w.Rival.Break(ctx, row.Name(), row.Token())).To(BeTrue())
	}
}

// grant is the grant of the scene, also when its row is gone; earlier, later and anothers miss it by one of its parts.
func (s scene) grant() domain.Grant   { return s.held.Grant() }
func (s scene) earlier() domain.Grant { return s.withToken(s.held.Token() - 1) }
func (s scene) later() domain.Grant   { return s.withToken(s.held.Token() + 1) }

func (s scene) withToken(token domain.Token) domain.Grant {
	return domain.Grant{Name: s.held.Name(), Owner: s.held.Owner(), Token: token}
}

func (s scene) anothers() domain.Grant {
	return domain.Grant{Name: s.held.Name(), Owner: domain.RestoreOwner("cleo"), Token: s.held.Token()}
}

// claim is the claim that made the scene's grant; anotherClaim and anothersClaim miss it by one of its parts.
func (s scene) claim() domain.Claim {
	return domain.Claim{ID: s.held.Claim(), Name: s.held.Name(), Owner: s.held.Owner(), TTL: ttlOf(hour)}
}

func (s scene) anotherClaim() domain.Claim {
	return domain.Claim{ID: s.held.Claim() ^ 1, Name: s.held.Name(), Owner: s.held.Owner(), TTL: ttlOf(hour)}
}

func (s scene) anothersClaim() domain.Claim {
	return domain.Claim{ID: s.held.Claim(), Name: s.held.Name(), Owner: domain.RestoreOwner("cleo"), TTL: ttlOf(hour)}
}
