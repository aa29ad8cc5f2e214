package selftest

import (
	"cmp"
	"strings"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// Mutants that keep instants, durations, names or owners wrongly.

func instants() []mutant {
	return []mutant{
		{"L15", "reads the clock once to decide and once more to write", func(s *store) {
			s.grant = func(claim domain.Claim, token domain.Token, _ domain.Instant) domain.Lock {
				return grant(claim, token, s.now())
			}
		}},
		{"L15", "names an instant other than that of its decision", func(s *store) {
			s.answer = func(verdict domain.Verdict, _ domain.Claim) (domain.Verdict, error) {
				verdict.At = s.now()
				return verdict, nil
			}
		}},
		{"L15", "reads the clock once to judge a renewal and once more for its window", func(s *store) {
			s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
				return later(domain.Renew(standing, grant, ttl, now), s.now().After(ttl))
			}
		}},
		{"M3", "asks the clock of this machine", func(s *store) {
			s.now = func() domain.Instant { return domain.InstantOf(time.Now()) }
		}},
		{"M3", "goes by a clock of its own, which always moves", func(s *store) {
			injected, readings := s.now, domain.Instant(0)
			s.now = func() domain.Instant { readings++; return injected() + readings }
		}},
		{"M4", "keeps instants to the millisecond", func(s *store) {
			injected := s.now
			s.now = func() domain.Instant { return injected() / 1000 * 1000 }
		}},
	}
}

// windows changes for how long a lock is granted and renewed.
func windows(window func(micros int64) int64) func(s *store) {
	return func(s *store) {
		s.grant = func(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock {
			return moved(grant(claim, token, now), now+domain.Instant(window(claim.TTL.Micros())))
		}
		s.renew = func(standing domain.Lock, grant domain.Grant, ttl domain.TTL, now domain.Instant) domain.Verdict {
			return later(domain.Renew(standing, grant, ttl, now), now+domain.Instant(window(ttl.Micros())))
		}
	}
}

func durations() []mutant {
	return []mutant{
		{"M4", "cuts a window to whole milliseconds", windows(func(micros int64) int64 { return micros / 1000 * 1000 })},
		{"M4", "cuts a window to whole seconds", windows(func(micros int64) int64 { return micros / 1e6 * 1e6 })},
		{"M4", "rounds a window up to whole milliseconds", windows(func(micros int64) int64 { return (micros + 999) / 1000 * 1000 })},
		{"M4", "keeps a window in 32 bits of seconds", windows(func(micros int64) int64 { return int64(int32(micros/1e6))*1e6 + micros%1e6 })},
		{"M4", "keeps a window in 32 bits of milliseconds", windows(func(micros int64) int64 { return int64(int32(micros/1000))*1000 + micros%1000 })},
		{"M4", "holds no lock for longer than a century", windows(func(micros int64) int64 { return min(micros, 100*365*24*3600*1e6) })},
		{"M4", "takes the longest window for none at all", windows(func(micros int64) int64 {
			if micros > 9e15 {
				return 0
			}
			return micros
		})},
	}
}

func names() []mutant {
	return []mutant{
		{"M5", "folds the case of names", keyed(strings.ToLower)},
		{"M5", "cuts names at 63 bytes", keyed(func(name string) string { return name[:min(len(name), 63)] })},
		{"M5", "cuts names at 254 bytes", keyed(func(name string) string { return name[:min(len(name), 254)] })},
		{"M5", "ignores white space at the end of a name", keyed(strings.TrimSpace)},
		{"M5", "takes two spellings of a character for one", keyed(func(name string) string {
			return strings.ReplaceAll(name, "e\u0301", "\u00e9")
		})},
		{"M5", "ends a name at a control character", keyed(func(name string) string {
			before, _, _ := strings.Cut(name, "\x01")
			return before
		})},
		{"M5", "stores a name without white space at its ends", func(s *store) {
			s.grant = func(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock {
				claim.Name = domain.RestoreName(strings.TrimSpace(claim.Name.String()))
				return grant(claim, token, now)
			}
		}},
		{"M5", "stores an owner cut at 64 bytes", func(s *store) {
			s.grant = func(claim domain.Claim, token domain.Token, now domain.Instant) domain.Lock {
				text := claim.Owner.String()
				claim.Owner = domain.RestoreOwner(text[:min(len(text), 64)])
				return grant(claim, token, now)
			}
		}},
		{"M5", "folds the case of owners", func(s *store) {
			s.refuse = func(standing domain.Lock, claim domain.Claim, now domain.Instant) domain.Verdict {
				return shown(strings.EqualFold(standing.Owner().String(), claim.Owner.String()), standing, now)
			}
		}},
		{"M5", "ignores the prefix of a list", func(s *store) {
			s.covers = func(domain.Prefix, domain.Lock, domain.Instant) bool { return true }
		}},
		{"M5", "folds the case of a prefix", func(s *store) {
			s.covers = func(prefix domain.Prefix, lock domain.Lock, _ domain.Instant) bool {
				from, _ := prefix.Range()
				return strings.HasPrefix(strings.ToLower(lock.Name().String()), strings.ToLower(from))
			}
		}},
		{"M5", "takes an underscore in a prefix for any character", func(s *store) {
			s.covers = func(prefix domain.Prefix, lock domain.Lock, _ domain.Instant) bool {
				from, _ := prefix.Range()
				name := lock.Name().String()
				return len(name) >= len(from) && matches(from, name)
			}
		}},
		{"M5", "lists in an order that ignores case", func(s *store) {
			s.compare = func(a, b string) int {
				return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
			}
		}},
		{"M5", "lists in the order of UTF-16", func(s *store) {
			s.compare = func(a, b string) int { return cmp.Compare(likeUTF16(a), likeUTF16(b)) }
		}},
	}
}

// keyed keeps rows under what fold makes of their names.
func keyed(fold func(string) string) func(s *store) {
	return func(s *store) { s.key = func(name domain.Name) string { return fold(name.String()) } }
}

// matches compares as LIKE does: an underscore in the prefix stands for any byte.
func matches(prefix, name string) bool {
	for i := range len(prefix) {
		if prefix[i] != '_' && prefix[i] != name[i] {
			return false
		}
	}
	return true
}

// likeUTF16 returns a text that is in byte order where the text is in the order of UTF-16: runes above U+FFFF come before
// U+E000.
func likeUTF16(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0xE000 && r <= 0xFFFF {
			return r + 0x100000
		}
		return r
	}, text)
}
