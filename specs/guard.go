package specs

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
)

// durationGuard is L9: a ttl that is not positive never gets as far as the store.
func durationGuard(w *world) {
	Describe("a duration that is not positive", func() {
		for _, ttl := range []time.Duration{0, -1, -time.Microsecond, -hour, math.MinInt64} {
			It(fmt.Sprintf("L9 is ErrInvalidTTL in a try for a free name, and no row is written: %v", ttl), func(ctx SpecContext) {
				w.expectTryFails(ctx, nightly, ada, ttl, namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
				Expect(w.theirs.rows(ctx)).To(BeEmpty())
			})

			It(fmt.Sprintf("L9 is ErrInvalidTTL in a try for a name that is held or has lapsed, and its row is unchanged: %v", ttl), func(ctx SpecContext) {
				w.ours.grants(ctx, nightly, ada, hour)
				for range 2 {
					before := w.theirs.rows(ctx)
					w.expectTryFails(ctx, nightly, ada, ttl, namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
					w.expectTryFails(ctx, nightly, bob, ttl, namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
					Expect(w.theirs.rows(ctx)).To(Equal(before))
					w.Advance(ctx, hour)
				}
			})

			It(fmt.Sprintf("L9 is ErrInvalidTTL in a renewal, and the lock goes on as it was: %v", ttl), func(ctx SpecContext) {
				lock := w.ours.grants(ctx, nightly, ada, hour)
				before := w.theirs.rows(ctx)
				expectFailure(answerOf(lock.Renew(ctx, ttl)), namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
				Expect(w.theirs.rows(ctx)).To(Equal(before))
				w.theirs.refuses(ctx, nightly, bob, hour)
				Expect(lock.Release(ctx)).To(BeTrue())
			})
		}
	})
}

// nameGuard is L10 and M5: what no store can keep alike is refused before any store is asked.
func nameGuard(w *world) {
	Describe("a bad name", func() {
		for _, bad := range badTexts() {
			It(bad.row+" is ErrInvalidName to every operation, and nothing is written: "+bad.what, func(ctx SpecContext) {
				w.expectNameFails(ctx, bad.text, namedlock.ErrInvalidName)
			})
		}

		for _, name := range []string{domain.ReservedPrefix, domain.ReservedPrefix + "x", domain.ReservedPrefix + " "} {
			It(fmt.Sprintf("L10 is ErrReservedName in the namespace of the library, and nothing is written: %q", name), func(ctx SpecContext) {
				w.expectNameFails(ctx, name, namedlock.ErrReservedName)
			})
		}
	})

	Describe("a bad owner", func() {
		for _, bad := range badTexts() {
			It(bad.row+" is ErrInvalidName to a try, and nothing is written: "+bad.what, func(ctx SpecContext) {
				w.expectTryFails(ctx, nightly, bad.text, hour, namedlock.ErrInvalidName)
				Expect(w.theirs.rows(ctx)).To(BeEmpty())
			})
		}
	})
}

// badText is a name or an owner that is refused everywhere, and the row that refuses it.
type badText struct{ row, what, text string }

func badTexts() []badText {
	return []badText{
		{"L10", "nothing", ""},
		{"L10", "a space", " "},
		{"L10", "tabs and line ends", "\t\r\n\v\f"},
		{"L10", "white space of Unicode", "\u3000\u00a0\u2003\u2028\u0085"},
		{"M5", "256 bytes", strings.Repeat("x", 256)},
		{"M5", "64 emoji, which are 256 bytes", strings.Repeat("🔒", 64)},
		{"M5", "2,700 bytes", strings.Repeat("x", 2700)},
		{"M5", "ten megabytes", strings.Repeat("x", 10<<20)},
		{"M5", "a NUL", "\x00"},
		{"M5", "a NUL at the end", "nightly\x00"},
		{"M5", "a NUL inside", "night\x00ly"},
		{"M5", "a byte that is not UTF-8", "\xff"},
		{"M5", "bytes inside that are not UTF-8", "night\xc3\x28ly"},
		{"M5", "a rune that is cut off", "nightly\xf0\x9f\x94"},
		{"M5", "half of a surrogate pair", "\xed\xa0\x80"},
		{"M5", "an overlong NUL", "\xc0\x80"},
	}
}

// expectNameFails expects that no operation takes the name.
func (w *world) expectNameFails(ctx context.Context, name string, kind error) {
	GinkgoHelper()
	w.expectTryFails(ctx, name, ada, hour, kind)
	_, found, err := w.ours.Find(ctx, name)
	Expect(found).To(BeFalse())
	Expect(err).To(MatchError(kind))
	broken, err := w.ours.Break(ctx, name, 1)
	Expect(broken).To(BeFalse())
	Expect(err).To(MatchError(kind))
	Expect(w.theirs.rows(ctx)).To(BeEmpty())
}

// expectTryFails expects an error of the given kinds, and nothing else, from a try through our handle.
func (w *world) expectTryFails(ctx context.Context, name, owner string, ttl time.Duration, kinds ...error) {
	GinkgoHelper()
	lock, incumbent, err := w.ours.TryLock(ctx, name, owner, ttl)
	Expect(lock).To(BeNil())
	Expect(incumbent).To(BeNil(), "a failure is never a refusal")
	for _, kind := range kinds {
		Expect(err).To(MatchError(kind))
	}
}
