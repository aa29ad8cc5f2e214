package domain

// Token is the number of a grant. For one name each new grant has a larger token than every earlier one, across release,
// lapse, purge and restart (M2), so that a resource which remembers the largest token it saw can refuse a late writer:
// a fencing token. Numbers may be skipped. The first is 1.
type Token int64

// Grant is the identity of one uninterrupted holding. Renewal and release match all three: a handle speaks for its grant
// and for no later one of the same owner (M1).
type Grant struct {
	Name  Name
	Owner Owner
	Token Token
}

// ClaimID tells one call of acquire from every other, also of the same owner, so that a call whose answer was lost can
// take back what it got and nothing else (M8). Whoever makes a [Claim] draws it at random.
type ClaimID int64

// Claim is a wish: this name, for this owner, for this long.
type Claim struct {
	ID    ClaimID
	Name  Name
	Owner Owner
	TTL   TTL
}
