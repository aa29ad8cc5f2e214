package specs

import (
	"context"
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
	bad := []TableEntry{
		Entry("L9 zero", time.Duration(0)),
		Entry("L9 a nanosecond too little", time.Duration(-1)),
		Entry("L9 a microsecond too little", -time.Microsecond),
		Entry("L9 minus an hour", -hour),
		Entry("L9 the most negative duration", time.Duration(math.MinInt64)),
	}

	Describe("a duration that is not positive", func() {
		DescribeTable("in a try, where there is no row, is ErrInvalidTTL and writes none",
			func(ctx SpecContext, ttl time.Duration) {
				w.expectTryFails(ctx, nightly, ada, ttl, namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
				Expect(w.theirs.rows(ctx)).To(BeEmpty())
			}, bad)

		DescribeTable("in a try, where there is a row, is ErrInvalidTTL and leaves it, to its owner, to others, and after its lapse",
			func(ctx SpecContext, ttl time.Duration) {
				w.ours.grants(ctx, nightly, ada, hour)
				for range 2 {
					before := w.theirs.rows(ctx)
					w.expectTryFails(ctx, nightly, ada, ttl, namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
					w.expectTryFails(ctx, nightly, bob, ttl, namedlock.ErrInvalidTTL, namedlock.ErrDatabase)
					Expect(w.theirs.rows(ctx)).To(Equal(before))
					w.Advance(ctx, hour)
				}
			}, bad)

		DescribeTable("in a renewal is ErrInvalidTTL, and the lock goes on as it was",
			func(ctx SpecContext, ttl time.Duration) {
				lock := w.ours.grants(ctx, nightly, ada, hour)
				before := w.theirs.rows(ctx)
				renewed, err := lock.Renew(ctx, ttl)
				Expect(renewed).To(BeFalse())
				Expect(err).To(And(MatchError(namedlock.ErrInvalidTTL), MatchError(namedlock.ErrDatabase)))
				Expect(w.theirs.rows(ctx)).To(Equal(before))
				w.theirs.refuses(ctx, nightly, bob, hour)
				Expect(lock.Release(ctx)).To(BeTrue())
			}, bad)
	})
}

// nameGuard is L10 and M5: what no store can keep alike is refused before any store is asked.
func nameGuard(w *world) {
	Describe("a bad name", func() {
		DescribeTable("is refused by a try, a look and a break, and nothing is written",
			func(ctx SpecContext, name string) { w.expectNameFails(ctx, name, namedlock.ErrInvalidName) },
			badTexts())

		DescribeTable("is ErrReservedName in the namespace of the library, and nothing is written",
			func(ctx SpecContext, name string) { w.expectNameFails(ctx, name, namedlock.ErrReservedName) },
			Entry("L10 the namespace itself", domain.ReservedPrefix),
			Entry("L10 a name in it", "namedlock:x"),
			Entry("L10 a blank name in it", "namedlock: "),
		)
	})

	Describe("a bad owner", func() {
		DescribeTable("is refused by a try, and nothing is written",
			func(ctx SpecContext, owner string) {
				w.expectTryFails(ctx, nightly, owner, hour, namedlock.ErrInvalidName)
				Expect(w.theirs.rows(ctx)).To(BeEmpty())
			}, badTexts())
	})
}

// badTexts are the names and owners that are refused everywhere.
func badTexts() []TableEntry {
	return []TableEntry{
		Entry("L10 empty", ""),
		Entry("L10 a space", " "),
		Entry("L10 tabs and line ends", "\t\r\n\v\f"),
		Entry("L10 white space of Unicode", "\u3000\u00a0\u2003\u2028\u0085"),
		Entry("M5 256 bytes", strings.Repeat("x", 256)),
		Entry("M5 64 emoji, which are 256 bytes", strings.Repeat("🔒", 64)),
		Entry("M5 2,700 bytes", strings.Repeat("x", 2700)),
		Entry("M5 ten megabytes", strings.Repeat("x", 10<<20)),
		Entry("M5 a NUL", "\x00"),
		Entry("M5 a NUL at the end", "nightly\x00"),
		Entry("M5 a NUL inside", "night\x00ly"),
		Entry("M5 a byte that is not UTF-8", "\xff"),
		Entry("M5 bytes inside that are not UTF-8", "night\xc3\x28ly"),
		Entry("M5 a rune that is cut off", "nightly\xf0\x9f\x94"),
		Entry("M5 half of a surrogate pair", "\xed\xa0\x80"),
		Entry("M5 an overlong NUL", "\xc0\x80"),
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
