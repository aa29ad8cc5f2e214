package domain

// Releases reports whether a release by grant removes the lock that stands: its own row, live or lapsed, and nothing
// else (L8, M1). No clock is asked.
func Releases(standing Lock, grant Grant) bool {
	return standing.Exists() && standing.Grant() == grant
}

// Breaks reports whether breaking the grant that an operator saw, by name and token, removes the lock that stands.
func Breaks(standing Lock, name Name, seen Token) bool {
	return standing.Exists() && standing.Name() == name && standing.Token() == seen
}

// Withdraws reports whether the lock that stands was made by this very claim, so that a caller who never heard the answer
// may take it back (M8). A grant that the same owner got by another call is left alone.
func Withdraws(standing Lock, claim Claim) bool {
	return standing.Exists() && standing.Name() == claim.Name && standing.Owner() == claim.Owner && standing.Claim() == claim.ID
}
