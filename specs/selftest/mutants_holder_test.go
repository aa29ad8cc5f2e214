package selftest

import (
	"errors"

	"github.com/alkstore/namedlock/domain"
)

// Mutants that renew, release or count grants wrongly.

func renewals() []mutant {
	return []mutant{
		{"L6", "adds a renewal to what is left", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				return later(domain.Renew(standing, grant, ttl, now), standing.Deadline().After(ttl))
			}
		}},
		{"L6", "never shortens by a renewal", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				return later(domain.Renew(standing, grant, ttl, now), max(standing.Deadline(), now.After(ttl)))
			}
		}},
		{"L6", "counts a renewal from the grant and not from now", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				return later(domain.Renew(standing, grant, ttl, now), standing.AcquiredAt().After(ttl))
			}
		}},
		{"L6", "says that it renewed and does not", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				return later(domain.Renew(standing, grant, ttl, now), standing.Deadline())
			}
		}},
		{"L6", "makes a renewed lock begin anew", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				verdict := domain.Renew(standing, grant, ttl, now)
				if verdict.Granted {
					verdict.Lock = domain.Restore(grant, standing.Claim(), now, now.After(ttl))
				}
				return verdict
			}
		}},
		{"L7", "revives a lapsed lock", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				return domain.Renew(forEver(standing), grant, ttl, now)
			}
		}},
		{"L7", "renews at the deadline itself", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				if standing.Exists() && now == standing.Deadline() {
					standing = forEver(standing)
				}
				return domain.Renew(standing, grant, ttl, now)
			}
		}},
		{"L7", "renews for whoever knows the token", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				grant.Owner = standing.Owner()
				return domain.Renew(standing, grant, ttl, now)
			}
		}},
		{"L7", "inserts a row that is gone when it is renewed", func(s *store) {
			s.renew = func(standing domain.Lock, wanted domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				if !standing.Exists() {
					standing = forEver(domain.Restore(wanted, 0, now, now))
				}
				return domain.Renew(standing, wanted, ttl, now)
			}
		}},
		{"L7", "removes a lapsed row whose renewal it refuses", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				verdict := domain.Renew(standing, grant, ttl, now)
				if !verdict.Granted && standing.Grant() == grant {
					delete(s.rows, s.key(grant.Name))
				}
				return verdict
			}
		}},
		{"L7", "looks and renews in two steps, and others come in between", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				s.letOthersIn()
				return domain.Renew(standing, grant, ttl, now)
			}
		}},
		{"M1", "renews for an earlier grant of the owner", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				grant.Token = standing.Token()
				return domain.Renew(standing, grant, ttl, now)
			}
		}},
	}
}

// later returns the verdict of a renewal with another deadline.
func later(verdict domain.Verdict, deadline domain.Instant) domain.Verdict {
	if verdict.Granted {
		verdict.Lock = moved(verdict.Lock, deadline)
	}
	return verdict
}

// forEver returns the lock as one that never lapses.
func forEver(lock domain.Lock) domain.Lock { return moved(lock, 1<<62) }

func releases() []mutant {
	return []mutant{
		{"L8", "releases for whoever knows the token", func(s *store) {
			s.releases = func(standing domain.Lock, grant domain.Grant) bool { return standing.Token() == grant.Token }
		}},
		{"L8", "does not release a lapsed lock", func(s *store) {
			s.releases = func(standing domain.Lock, grant domain.Grant) bool {
				return domain.Releases(standing, grant) && standing.LiveAt(s.now())
			}
		}},
		{"L8", "says yes to every release", func(s *store) {
			s.released = func(bool) (bool, error) { return true, nil }
		}},
		{"L8", "says no to every release", func(s *store) {
			s.released = func(bool) (bool, error) { return false, nil }
		}},
		{"L8", "makes a release of nothing an error", func(s *store) {
			s.released = func(yes bool) (bool, error) {
				if !yes {
					return false, domain.DatabaseError(errors.New("no rows"))
				}
				return true, nil
			}
		}},
		{"L8", "releases every lock of the owner", func(s *store) {
			s.releases = func(standing domain.Lock, grant domain.Grant) bool {
				for key, lock := range s.rows {
					if lock.Owner() == grant.Owner && lock.Token() != grant.Token {
						delete(s.rows, key)
					}
				}
				return domain.Releases(standing, grant)
			}
		}},
		{"L8", "looks and releases in two steps, and others come in between", func(s *store) {
			s.releases = func(standing domain.Lock, grant domain.Grant) bool {
				s.letOthersIn()
				return domain.Releases(standing, grant)
			}
		}},
		{"M1", "releases for an earlier grant of the owner", func(s *store) {
			s.releases = func(standing domain.Lock, grant domain.Grant) bool { return standing.Owner() == grant.Owner }
		}},
	}
}

func tokens() []mutant {
	return []mutant{
		{"M2", "gives every grant the same token", func(s *store) {
			s.next = func(domain.Name) domain.Token { return 1 }
		}},
		{"M2", "begins to count anew when the row is gone", func(s *store) {
			s.next = func(name domain.Name) domain.Token { return s.rows[s.key(name)].Token() + 1 }
		}},
		{"M2", "counts on from the rows that are left", func(s *store) {
			s.next = func(domain.Name) domain.Token {
				largest := domain.Token(0)
				for _, lock := range s.rows {
					largest = max(largest, lock.Token())
				}
				return largest + 1
			}
		}},
		{"M2", "counts backwards", func(s *store) {
			count := domain.Token(1 << 40)
			s.next = func(domain.Name) domain.Token { count--; return count }
		}},
		{"M2", "draws a token, and then waits until the name is free", func(s *store) {
			s.next = func(name domain.Name) domain.Token {
				s.last++
				token := s.last
				s.letOthersIn()
				for try := 0; try < 20 && s.rows[s.key(name)].LiveAt(s.now()); try++ {
					s.letOthersIn()
				}
				return token
			}
		}},
		{"M2", "gives a renewed lock a new token", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				verdict := domain.Renew(standing, grant, ttl, now)
				if verdict.Granted {
					s.last++
					grant.Token = s.last
					verdict.Lock = domain.Restore(grant, standing.Claim(), standing.AcquiredAt(), verdict.Lock.Deadline())
				}
				return verdict
			}
		}},
	}
}
