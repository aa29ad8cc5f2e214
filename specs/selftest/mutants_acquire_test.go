package selftest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Mutants that grant or refuse wrongly.

func exclusions() []mutant {
	return []mutant{
		{"L1", "lets everybody in", func(s *store) {
			s.live = func(domain.Lock, domain.Instant) bool { return false }
		}},
		{"L1", "looks and writes in two steps, and others come in between", func(s *store) {
			s.gap = func() { s.letOthersIn() }
		}},
		{"L1", "keeps out others only until half of the window is over", func(s *store) {
			s.live = func(lock domain.Lock, now domain.Instant) bool { return now < lock.AcquiredAt()/2+lock.Deadline()/2 }
		}},
		{"L1", "lapses a microsecond early", func(s *store) {
			s.live = func(lock domain.Lock, now domain.Instant) bool { return lock.LiveAt(now + 1) }
		}},
		{"L1", "has one lock for all names that begin alike", func(s *store) {
			s.key = func(name domain.Name) string { return strings.Split(name.String(), "/")[0] }
		}},
	}
}

func refusals() []mutant {
	return []mutant{
		{"L2", "takes a context that has ended for a lock that is held", func(s *store) {
			s.failed = func(err error) (domain.Verdict, error) {
				if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
					return domain.Verdict{}, nil
				}
				return domain.Verdict{}, err
			}
		}},
		{"L2", "does not look at the context", func(s *store) {
			s.enter = func(_ context.Context, h *handle) error { return h.refusal(context.Background()) }
		}},
		{"L2", "gives the driver's own error, which is no database error", func(s *store) {
			s.enter = func(ctx context.Context, h *handle) error { return errors.Unwrap(h.refusal(ctx)) }
		}},
		{"L2", "takes being busy for a failure", func(s *store) {
			busy := false
			s.gap = func() { busy = true; s.letOthersIn(); busy = false }
			s.enter = func(ctx context.Context, h *handle) error {
				if busy {
					return domain.DatabaseError(errors.New("database is locked"))
				}
				return h.refusal(ctx)
			}
		}},
		{"L2", "makes being refused an error", func(s *store) {
			s.answer = func(verdict domain.Verdict, _ domain.Claim) (domain.Verdict, error) {
				if !verdict.Granted {
					return domain.Verdict{}, domain.DatabaseError(errors.New("lock is held"))
				}
				return verdict, nil
			}
		}},
		{"L2", "prolongs the lock that refuses", func(s *store) {
			s.refuse = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				s.put(moved(standing, now.After(claim.TTL)))
				return shown(false, standing, now)
			}
		}},
		{"L2", "hands the lock that refuses to the loser", func(s *store) {
			s.refuse = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				s.put(grant(claim, standing.Token(), now))
				return shown(false, standing, now)
			}
		}},
		{"M6", "refuses without saying who stands in the way", func(s *store) {
			s.refuse = func(_ domain.Lock, _ domain.Claim, now domain.Instant) domain.Verdict {
				return shown(false, domain.Lock{}, now)
			}
		}},
		{"M6", "shows the loser itself as the incumbent", func(s *store) {
			s.refuse = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				return shown(false, grant(claim, standing.Token(), now), now)
			}
		}},
		{"M6", "shows the first deadline of a lock that was renewed", func(s *store) {
			s.refuse = func(standing domain.Lock, _ domain.Claim, now domain.Instant) domain.Verdict {
				return shown(false, moved(standing, standing.AcquiredAt()+domain.Instant(time.Hour.Microseconds())), now)
			}
		}},
		{"M6", "refuses without the instant of the look", func(s *store) {
			s.refuse = func(standing domain.Lock, _ domain.Claim, _ domain.Instant) domain.Verdict {
				return shown(false, standing, 0)
			}
		}},
	}
}

func lapses() []mutant {
	return []mutant{
		{"L3", "counts the deadline itself as held", func(s *store) {
			s.live = func(lock domain.Lock, now domain.Instant) bool { return lock.Exists() && now <= lock.Deadline() }
		}},
		{"L3", "removes a lapsed row when somebody looks at it", func(s *store) {
			s.found = func(sighting domain.Sighting) domain.Sighting { s.sweep(); return sighting }
		}},
		{"L3", "removes lapsed rows when another name is asked for", func(s *store) {
			s.gap = s.sweep
		}},
		{"L3", "hides a lapsed row from a look", func(s *store) {
			s.found = func(sighting domain.Sighting) domain.Sighting {
				if sighting.Lock.LiveAt(sighting.At) {
					return sighting
				}
				return domain.Sighting{}
			}
		}},
		{"L3", "hides lapsed rows from a list", func(s *store) {
			s.covers = func(prefix domain.Prefix, lock domain.Lock, now domain.Instant) bool {
				return prefix.Covers(lock.Name()) && lock.LiveAt(now)
			}
		}},
		{"L4", "never lets go of a lock", func(s *store) {
			s.live = func(lock domain.Lock, _ domain.Instant) bool { return lock.Exists() }
		}},
		{"L4", "grants a lapsed name only for what was left, nothing", func(s *store) {
			s.grant = func(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock {
				if s.rows[s.key(claim.Name)].Exists() {
					return moved(grant(claim, token, now), now+1)
				}
				return grant(claim, token, now)
			}
		}},
		{"L4", "lets a lapsed owner keep its name on the row", func(s *store) {
			s.grant = func(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock {
				if standing := s.rows[s.key(claim.Name)]; standing.Exists() {
					claim.Owner = standing.Owner()
				}
				return grant(claim, token, now)
			}
		}},
	}
}

func sameOwners() []mutant {
	return []mutant{
		{"L5", "moves the deadline when the owner asks again", func(s *store) {
			s.again = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				s.put(moved(standing, now.After(claim.TTL)))
				return shown(true, s.rows[s.key(claim.Name)], now)
			}
		}},
		{"L5", "prolongs the lock when the owner asks again for longer", func(s *store) {
			s.again = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				s.put(moved(standing, max(standing.Deadline(), now.After(claim.TTL))))
				return shown(true, s.rows[s.key(claim.Name)], now)
			}
		}},
		{"L5", "makes a new grant when the owner asks again", func(s *store) {
			s.again = func(_ domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				s.last++
				s.put(grant(claim, s.last, now))
				return shown(true, s.rows[s.key(claim.Name)], now)
			}
		}},
		{"L5", "refuses the owner that asks again", func(s *store) {
			s.again = func(standing domain.Lock, _ domain.Claim, now domain.Instant) domain.Verdict {
				return shown(false, standing, now)
			}
		}},
		{"L5", "shows the owner that asks again the deadline it wished for", func(s *store) {
			s.again = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				return shown(true, moved(standing, now.After(claim.TTL)), now)
			}
		}},
		{"L14", "reports what was asked for and not the row", func(s *store) {
			s.again = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				return shown(true, moved(grant(claim, standing.Token(), standing.AcquiredAt()), standing.Deadline()), now)
			}
		}},
		{"L14", "reports a grant that it did not write", func(s *store) {
			s.answer = func(verdict domain.Verdict, claim domain.Claim) (domain.Verdict, error) {
				if verdict.Granted {
					delete(s.rows, s.key(claim.Name))
				}
				return verdict, nil
			}
		}},
	}
}
