package domain

// Verdict is what a store decided about an acquire or a renewal, as a value: a refusal is an answer and not an error (L2).
type Verdict struct {
	// Granted says whether the asker holds the lock.
	Granted bool
	// Lock is the row that stands after the decision: the asker's own when granted, the incumbent of a refused acquire
	// (M6), and the zero Lock for a refused renewal.
	Lock Lock
	// At is the instant of the decision by the clock of the store, read once (L15).
	At Instant
}

// Sighting is what a store knew of one name at one instant.
type Sighting struct {
	// Lock is the row, live or lapsed; the zero Lock when there is none.
	Lock Lock
	// At is the instant of the look by the clock of the store.
	At Instant
}
