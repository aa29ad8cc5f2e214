package specs

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// operation is one thing to ask of a store that was led into a scene.
type operation func(s scene) question

// question is an operation in one scene, and the rule for it.
type question struct {
	ask func(ctx context.Context, repo ports.Repository) (outcome, error)
	// rule says what the answer must be, given the row that stands, and which row stands afterwards. Of the outcome that
	// the store gave it takes only what no rule says: the number of a new grant.
	rule func(standing domain.Lock, given outcome, now domain.Instant) (outcome, domain.Lock)
}

// outcome is what a store said.
type outcome struct {
	verdict domain.Verdict
	removed int
	last    domain.Name
}

// put leads the empty store into the scene, asks, and holds it to the rule. It leaves the store empty.
func (w *world) put(ctx context.Context, op operation, s scene) {
	GinkgoHelper()
	question := op(w.enact(ctx, s))
	standing, now := w.theirs.row(ctx, nightly), w.now(ctx)
	given, err := question.ask(ctx, w.Repository)
	Expect(err).NotTo(HaveOccurred())
	w.expectTimely(given.verdict, now)
	wanted, left := question.rule(standing, given, instantOf(given.verdict, now))
	Expect(given).To(Equal(wanted))
	Expect(w.theirs.row(ctx, nightly)).To(Equal(left))
	w.clear(ctx)
}

// expectTimely expects that an instant which was named is the present one.
func (w *world) expectTimely(verdict domain.Verdict, now domain.Instant) {
	GinkgoHelper()
	switch {
	case verdict == domain.Verdict{}:
	case w.timing == InjectedClock:
		Expect(verdict.At).To(Equal(now))
	default:
		Expect(verdict.At).To(BeNumerically("~", now, w.step().Microseconds()))
	}
}

// instantOf returns the instant of a verdict; one that names none was given now.
func instantOf(verdict domain.Verdict, now domain.Instant) domain.Instant {
	if verdict == (domain.Verdict{}) {
		return now
	}
	return verdict.At
}

func acquiring(by func(scene) domain.Claim) operation {
	return func(s scene) question {
		claim := by(s)
		return question{
			ask: func(ctx context.Context, repo ports.Repository) (outcome, error) {
				verdict, err := repo.Acquire(ctx, claim)
				return outcome{verdict: verdict}, err
			},
			rule: func(standing domain.Lock, given outcome, now domain.Instant) (outcome, domain.Lock) {
				wanted := domain.Acquire(standing, claim, given.verdict.Lock.Token(), now)
				if wanted.Lock != standing {
					Expect(wanted.Lock.Token()).To(BeNumerically(">", s.held.Token()))
				}
				return outcome{verdict: wanted}, wanted.Lock
			},
		}
	}
}

func renewing(by func(scene) domain.Grant, ttl time.Duration) operation {
	return func(s scene) question {
		return question{
			ask: func(ctx context.Context, repo ports.Repository) (outcome, error) {
				verdict, err := repo.Renew(ctx, by(s), ttlOf(ttl))
				return outcome{verdict: verdict}, err
			},
			rule: func(standing domain.Lock, _ outcome, now domain.Instant) (outcome, domain.Lock) {
				wanted := domain.Renew(standing, by(s), ttlOf(ttl), now)
				if !wanted.Granted {
					return outcome{verdict: wanted}, standing
				}
				return outcome{verdict: wanted}, wanted.Lock
			},
		}
	}
}

func releasing(by func(scene) domain.Grant) operation {
	return removing(
		func(ctx context.Context, repo ports.Repository, s scene) (bool, error) {
			return repo.Release(ctx, by(s))
		},
		func(standing domain.Lock, s scene) bool { return domain.Releases(standing, by(s)) },
	)
}

func breakingBy(by func(scene) domain.Grant) operation {
	return removing(
		func(ctx context.Context, repo ports.Repository, s scene) (bool, error) {
			return repo.Break(ctx, by(s).Name, by(s).Token)
		},
		func(standing domain.Lock, s scene) bool { return domain.Breaks(standing, by(s).Name, by(s).Token) },
	)
}

func withdrawing(by func(scene) domain.Claim) operation {
	return removing(
		func(ctx context.Context, repo ports.Repository, s scene) (bool, error) {
			return repo.Withdraw(ctx, by(s))
		},
		func(standing domain.Lock, s scene) bool { return domain.Withdraws(standing, by(s)) },
	)
}

// removing is an operation that removes the row, or doesn't, and reads no clock.
func removing(ask func(context.Context, ports.Repository, scene) (bool, error), rule func(domain.Lock, scene) bool) operation {
	return func(s scene) question {
		return question{
			ask: func(ctx context.Context, repo ports.Repository) (outcome, error) {
				removed, err := ask(ctx, repo, s)
				return outcome{removed: count(removed)}, err
			},
			rule: func(standing domain.Lock, _ outcome, _ domain.Instant) (outcome, domain.Lock) {
				return removal(standing, rule(standing, s))
			},
		}
	}
}

func purgingAfter(age time.Duration) operation {
	return func(scene) question {
		return question{
			ask: func(ctx context.Context, repo ports.Repository) (outcome, error) {
				purged, err := repo.Purge(ctx, ageOf(age), ports.Page{Limit: 10})
				return outcome{removed: purged.Removed, last: purged.Last}, err
			},
			rule: func(standing domain.Lock, _ outcome, now domain.Instant) (outcome, domain.Lock) {
				return removal(standing, standing.Exists() && domain.Purges(standing, ageOf(age), now))
			},
		}
	}
}

// looking is an operation that changes nothing and shows the row.
func looking(s scene) question {
	return question{
		ask: func(ctx context.Context, repo ports.Repository) (outcome, error) {
			sighting, err := repo.Find(ctx, s.held.Name())
			return outcome{verdict: domain.Verdict{Lock: sighting.Lock, At: sighting.At}}, err
		},
		rule: func(standing domain.Lock, _ outcome, now domain.Instant) (outcome, domain.Lock) {
			if !standing.Exists() {
				return outcome{}, standing
			}
			return outcome{verdict: domain.Verdict{Lock: standing, At: now}}, standing
		},
	}
}

// removal is the outcome of an operation that removes the row if it may, and the row afterwards.
func removal(standing domain.Lock, may bool) (outcome, domain.Lock) {
	if may {
		return outcome{removed: 1}, domain.Lock{}
	}
	return outcome{}, standing
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
