package selftest

import (
	"context"
	"slices"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// Mutants that keep the optional ports wrongly.

func batches() []mutant {
	return []mutant{
		{"L13", "answers a batch in another order", func(s *store) {
			s.batch = func(answers []ports.Renewed) []ports.Renewed {
				slices.Reverse(answers)
				return answers
			}
		}},
		{"L13", "leaves the refused ones out of the answer to a batch", func(s *store) {
			s.batch = func(answers []ports.Renewed) []ports.Renewed {
				return slices.DeleteFunc(answers, func(answer ports.Renewed) bool { return !answer.Verdict.Granted })
			}
		}},
		{"L13", "says that it renewed a batch and does not", func(s *store) {
			s.saves = func(int) bool { return false }
		}},
		{"L13", "renews only the beginning of a long batch", func(s *store) {
			s.saves = func(place int) bool { return place < 100 }
		}},
		{"L6", "renews what is asked twice in a batch as it was asked first", func(s *store) {
			s.saves = func(place int) bool { return place != 2 }
		}},
		{"L13", "calls in a batch undecided what it refuses", func(s *store) {
			s.batch = func(answers []ports.Renewed) []ports.Renewed {
				for i := range answers {
					answers[i].Undecided = !answers[i].Verdict.Granted
				}
				return answers
			}
		}},
		{"L7", "renews in a batch what is not there", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				if !standing.Exists() {
					standing = domain.Restore(grant, 1, now, now.After(ttl))
				}
				return domain.Renew(standing, grant, ttl, now)
			}
		}},
		{"L11", "renews batches after it was closed", func(s *store) {
			s.enter = func(ctx context.Context, _ *handle) error { return ctxOnly(ctx) }
		}},
	}
}

// ctxOnly refuses only for the sake of the context.
func ctxOnly(ctx context.Context) error {
	if cause := ctx.Err(); cause != nil {
		return ports.NoEffect(cause)
	}
	return nil
}

func wakers() []mutant {
	silent := func(about string) func(s *store) {
		return func(s *store) { s.wakes = func(by string) bool { return by != about } }
	}
	return []mutant{
		{"L4", "does not tell that a watch is in force", silent("watch")},
		{"L4", "does not tell of a release", silent("release")},
		{"L4", "does not tell of a break", silent("break")},
		{"L4", "does not tell of a withdrawal", silent("withdraw")},
		{"L11", "does not tell that it is closed", silent("close")},
		{"L4", "tells the first of those who watch a name only", func(s *store) {
			s.hears = func(bells []chan struct{}) []chan struct{} { return bells[:min(1, len(bells))] }
		}},
	}
}
