package specs

import (
	"context"
	"math/rand/v2"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// The words of most specs. Ada asks through our handle and Bob through theirs, unless a spec says otherwise.
const (
	nightly = "reports/nightly"
	ada     = "ada"
	bob     = "bob"
	hour    = time.Hour
)

// world is the store of one spec and the two parties that meet in it. Each spec gets it filled anew.
type world struct {
	Store
	timing       Timing
	ours, theirs party
}

// open fills the world with a fresh store.
func (w *world) open(store Store) {
	if store.Rival == nil {
		store.Rival = store.Repository
	}
	w.Store = store
	w.ours = newParty(store.Repository)
	w.theirs = newParty(store.Rival)
}

// step is the shortest time by which the specs of this store approach an instant.
func (w *world) step() time.Duration { return w.timing.step() }

// now returns the present instant by the clock of the store.
func (w *world) now(ctx context.Context) domain.Instant {
	GinkgoHelper()
	if w.Clock != nil {
		return domain.InstantOf(w.Clock.Now())
	}
	verdict := w.theirs.acquires(ctx, claimOf("what time is it", ada, hour))
	Expect(w.Rival.Release(ctx, verdict.Lock.Grant())).To(BeTrue())
	return verdict.At
}

// party is one side of a contest: a locker, and the handle of the store that it works through.
type party struct {
	*namedlock.Locker
	repo ports.Repository
}

func newParty(repo ports.Repository) party { return party{namedlock.New(repo), repo} }

// grants tries and expects a lock.
func (p party) grants(ctx context.Context, name, owner string, ttl time.Duration) *namedlock.Lock {
	GinkgoHelper()
	lock, incumbent, err := p.TryLock(ctx, name, owner, ttl)
	Expect(err).NotTo(HaveOccurred())
	Expect(incumbent).To(BeNil(), "the try was refused")
	Expect(lock).NotTo(BeNil(), "neither a lock nor a refusal")
	return lock
}

// refuses tries and expects to meet an incumbent.
func (p party) refuses(ctx context.Context, name, owner string, ttl time.Duration) *namedlock.Incumbent {
	GinkgoHelper()
	lock, incumbent, err := p.TryLock(ctx, name, owner, ttl)
	Expect(err).NotTo(HaveOccurred())
	Expect(lock).To(BeNil(), "the try was granted")
	Expect(incumbent).NotTo(BeNil(), "neither a lock nor a refusal")
	return incumbent
}

// sees looks a name up and expects an entry.
func (p party) sees(ctx context.Context, name string) namedlock.Entry {
	GinkgoHelper()
	entry, found, err := p.Find(ctx, name)
	Expect(err).NotTo(HaveOccurred())
	Expect(found).To(BeTrue(), "there is no row")
	return entry
}

// acquires asks at the port and expects a grant.
func (p party) acquires(ctx context.Context, claim domain.Claim) domain.Verdict {
	GinkgoHelper()
	verdict, err := p.repo.Acquire(ctx, claim)
	Expect(err).NotTo(HaveOccurred())
	Expect(verdict.Granted).To(BeTrue(), "the claim was refused")
	return verdict
}

// row returns the row of a name as the port shows it; the zero Lock when there is none.
func (p party) row(ctx context.Context, name string) domain.Lock {
	GinkgoHelper()
	sighting, err := p.repo.Find(ctx, nameOf(name))
	Expect(err).NotTo(HaveOccurred())
	return sighting.Lock
}

// rows returns every row of the store, in the order in which the port lists them.
func (p party) rows(ctx context.Context) []domain.Lock {
	GinkgoHelper()
	var rows []domain.Lock
	page := ports.Page{Limit: 50}
	for {
		sightings, err := p.repo.List(ctx, domain.Prefix{}, page)
		Expect(err).NotTo(HaveOccurred())
		for _, sighting := range sightings {
			rows = append(rows, sighting.Lock)
			page.After = sighting.Lock.Name()
		}
		if len(sightings) < page.Limit {
			return rows
		}
	}
}

// claimOf returns a claim that no other is equal to.
func claimOf(name, owner string, ttl time.Duration) domain.Claim {
	GinkgoHelper()
	return domain.Claim{ID: domain.ClaimID(rand.Int64()), Name: nameOf(name), Owner: ownerOf(owner), TTL: ttlOf(ttl)}
}

func nameOf(text string) domain.Name {
	GinkgoHelper()
	return valid(domain.NewName(text))
}

func ownerOf(text string) domain.Owner {
	GinkgoHelper()
	return valid(domain.NewOwner(text))
}

func ttlOf(d time.Duration) domain.TTL {
	GinkgoHelper()
	return valid(domain.NewTTL(d))
}

func ageOf(d time.Duration) domain.Age {
	GinkgoHelper()
	return valid(domain.NewAge(d))
}

// valid returns a value that the spec itself made, and that must be right.
func valid[T any](value T, err error) T {
	GinkgoHelper()
	Expect(err).NotTo(HaveOccurred())
	return value
}
