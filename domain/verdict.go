package domain

// Verdict is what a store decided about an acquire or a renewal, as a value: a refusal is an answer and not an error (L2).
// The zero Verdict refuses a renewal: there is nothing to show.
type Verdict struct {
	// Granted says whether the asker holds the lock.
	Granted bool
	// Lock is the row that stands after the decision: the asker's own when granted, and the incumbent of a refused acquire
	// (M6).
	Lock Lock
	// At is the instant of the decision by the clock of the store, read once (L15).
	At Instant
}

// Sighting is what a store knew of one name at one instant. The zero Sighting says that there is no row.
type Sighting struct {
	// Lock is the row, live or lapsed.
	Lock Lock
	// At is the instant of the look by the clock of the store.
	At Instant
}
