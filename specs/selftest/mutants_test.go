package selftest

import (
	"fmt"
	"slices"
)

// mutant is a store that is broken in one way, and the row of the contract that forbids it.
type mutant struct {
	row    string
	name   string
	mutate func(s *store)
}

// mutants are all broken stores.
func mutants() []mutant {
	return slices.Concat(
		exclusions(), refusals(), lapses(), sameOwners(),
		renewals(), releases(), tokens(), instants(),
		durations(), names(), closings(), surroundings(), operations(), batches(), wakers(),
	)
}

// mutantOf returns the mutant of that name; the healthy store has none.
func mutantOf(name string) mutant {
	for _, mutant := range mutants() {
		if mutant.name == name {
			return mutant
		}
	}
	if name != "" {
		panic(fmt.Sprintf("there is no mutant %q", name))
	}
	return mutant{}
}
