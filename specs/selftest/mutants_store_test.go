package selftest

import (
	"context"
	"errors"
	"maps"

	"github.com/alkstore/namedlock/domain"
)

// Mutants that close wrongly, treat what they were given wrongly, or serve operators wrongly.

func closings() []mutant {
	return []mutant{
		{"L11", "answers that the lock is held when it is closed", func(s *store) {
			s.failed = func(err error) (domain.Verdict, error) {
				if errors.Is(err, domain.ErrClosed) {
					return domain.Verdict{}, nil
				}
				return domain.Verdict{}, err
			}
		}},
		{"L11", "goes on when it is closed", func(s *store) {
			s.enter = func(ctx context.Context, _ *handle) error { return (&handle{}).refusal(ctx) }
		}},
		{"L11", "fails when it is closed with an error of its own", func(s *store) {
			s.enter = func(ctx context.Context, h *handle) error {
				if h.closed {
					return errors.New("use of closed store")
				}
				return h.refusal(ctx)
			}
		}},
		{"L11", "looks at the context before it looks whether it is closed", func(s *store) {
			s.enter = func(ctx context.Context, h *handle) error {
				if err := (&handle{}).refusal(ctx); err != nil {
					return err
				}
				return h.refusal(ctx)
			}
		}},
		{"L11", "cannot be closed twice", func(s *store) {
			s.close = func(h *handle) error {
				if h.closed {
					return errors.New("close of closed store")
				}
				h.closed = true
				return nil
			}
		}},
		{"L11", "takes its locks with it when it is closed", func(s *store) {
			s.close = func(h *handle) error { h.closed = true; clear(s.rows); return nil }
		}},
		{"L11", "closes every handle with the first", func(s *store) {
			s.close = func(*handle) error {
				s.enter = func(context.Context, *handle) error { return domain.ErrClosed }
				return nil
			}
		}},
	}
}

func surroundings() []mutant {
	return []mutant{
		{"L12", "takes part in a transaction of the caller", func(s *store) {
			s.transaction = func(work func()) {
				before := maps.Clone(s.rows)
				work()
				s.rows = before
			}
		}},
		{"L12", "sees, in a transaction of the caller, the time at which that began", func(s *store) {
			injected := s.now
			s.transaction = func(work func()) {
				began := injected()
				s.now = func() domain.Instant { return began }
				work()
				s.now = injected
			}
		}},
		{"M9", "keeps a connection for each lock", func(s *store) {
			s.answer = func(verdict domain.Verdict, _ domain.Claim) (domain.Verdict, error) {
				s.pool.inUse += yes(verdict.Granted)
				return verdict, nil
			}
			s.releases = func(standing domain.Lock, grant domain.Grant) bool {
				s.pool.inUse -= yes(domain.Releases(standing, grant))
				return domain.Releases(standing, grant)
			}
		}},
		{"M9", "keeps the connection of a look", func(s *store) {
			s.found = func(sighting domain.Sighting) domain.Sighting { s.pool.inUse++; return sighting }
		}},
		{"M10", "closes the pool that it was given", func(s *store) {
			s.close = func(h *handle) error { h.closed, s.pool.closed = true, true; return nil }
		}},
	}
}

func yes(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func operations() []mutant {
	return []mutant{
		{"L1", "purges live locks", func(s *store) {
			s.purges = func(domain.Lock, domain.Age, domain.Instant) bool { return true }
		}},
		{"L1", "looks and purges in two steps, and others come in between", func(s *store) {
			s.purges = func(standing domain.Lock, age domain.Age, now domain.Instant) bool {
				s.letOthersIn()
				return domain.Purges(standing, age, now)
			}
		}},
		{"L1", "purges by how long ago a lock was granted", func(s *store) {
			s.purges = func(standing domain.Lock, age domain.Age, now domain.Instant) bool {
				return standing.AcquiredAt() < now.Ago(age)
			}
		}},
		{"L13", "purges whatever has lapsed, however short a while ago", func(s *store) {
			s.purges = func(standing domain.Lock, _ domain.Age, now domain.Instant) bool { return !standing.LiveAt(now) }
		}},
		{"L13", "does not purge what lapsed exactly as long ago as was asked", func(s *store) {
			s.purges = func(standing domain.Lock, age domain.Age, now domain.Instant) bool {
				return now.Ago(age) > standing.Deadline()
			}
		}},
		{"L13", "purges nothing", func(s *store) {
			s.purges = func(domain.Lock, domain.Age, domain.Instant) bool { return false }
		}},
		{"L13", "breaks whatever grant stands", func(s *store) {
			s.breaks = func(domain.Lock, domain.Name, domain.Token) bool { return true }
		}},
		{"L13", "breaks earlier grants only", func(s *store) {
			s.breaks = func(standing domain.Lock, _ domain.Name, seen domain.Token) bool { return standing.Token() <= seen }
		}},
		{"M1", "looks and breaks in two steps, and others come in between", func(s *store) {
			s.breaks = func(standing domain.Lock, name domain.Name, seen domain.Token) bool {
				s.letOthersIn()
				return domain.Breaks(standing, name, seen)
			}
		}},
		{"L13", "does not break a live lock", func(s *store) {
			s.breaks = func(standing domain.Lock, name domain.Name, seen domain.Token) bool {
				return domain.Breaks(standing, name, seen) && !standing.LiveAt(s.now())
			}
		}},
		{"M8", "withdraws a grant that the owner got by another claim", func(s *store) {
			s.withdraws = func(standing domain.Lock, claim domain.Claim) bool { return standing.Owner() == claim.Owner }
		}},
		{"M8", "withdraws whatever stands", func(s *store) {
			s.withdraws = func(domain.Lock, domain.Claim) bool { return true }
		}},
		{"M8", "withdraws nothing", func(s *store) {
			s.withdraws = func(domain.Lock, domain.Claim) bool { return false }
		}},
		{"M8", "does not withdraw what has lapsed", func(s *store) {
			s.withdraws = func(standing domain.Lock, claim domain.Claim) bool {
				return domain.Withdraws(standing, claim) && standing.LiveAt(s.now())
			}
		}},
	}
}
