package specs

import (
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// goodTexts are names and owners that no two stores may treat differently. No two of them are the same.
func goodTexts() []string {
	long := strings.Repeat("x", 254)
	return []string{
		"a", "A", "ß", "ss", "SS", "İ", "i", "ı",
		"caf\u00e9", "cafe\u0301",
		"trailing", "trailing ", " trailing", "trailing\t", "trailing\n",
		long, long + "1", long + "2",
		strings.Repeat("é", 127), strings.Repeat("é", 127) + "x",
		strings.Repeat("🔒", 63), strings.Repeat("🔒", 63) + "abc",
		strings.Repeat("x", 63), strings.Repeat("x", 64), strings.Repeat("x", 65),
		"\ufffd", "\ufeffbom", "🔒", "👩‍👩‍👧", "\U0010ffff", "\ue000", "zero\u200bwidth",
		"it's", `say "when"`, `back\slash`, `\x00`, "100%", "100_", "100x", "a'; DROP TABLE locks; --", "$1", "?", ":name", "@name",
		"NAMEDLOCK:x", "namedlock", "xnamedlock:", " namedlock:",
		"null", "NULL", "0", "00", "1e3", "1000", "true", "\x01", "a\x01", "a\x01b", "\x7f", "\u0080", "{}", "../..", "a/b", "a//b",
	}
}

// names is M5: names and owners are kept whole and compared byte for byte, whatever a database thinks of them.
func names(w *world) {
	Describe("a good name", func() {
		It("M5 is another lock than every other that is not the same byte for byte", func(ctx SpecContext) {
			for _, name := range goodTexts() {
				w.ours.grants(ctx, name, ada, hour)
			}
			for _, name := range goodTexts() {
				Expect(w.theirs.refuses(ctx, name, bob, hour).Name).To(Equal(name))
			}
		})

		It("M5 is stored whole, and found by itself", func(ctx SpecContext) {
			for _, name := range goodTexts() {
				w.ours.grants(ctx, name, ada, hour)
			}
			for _, name := range goodTexts() {
				Expect(w.theirs.sees(ctx, name).Name).To(Equal(name))
			}
			listed := []string{}
			for _, row := range w.theirs.rows(ctx) {
				listed = append(listed, row.Name().String())
			}
			Expect(listed).To(Equal(slices.Sorted(slices.Values(goodTexts()))))
		})

		It("M5 is released by itself, and no other name is", func(ctx SpecContext) {
			for _, name := range goodTexts() {
				w.ours.grants(ctx, name, ada, hour)
			}
			for i, name := range goodTexts() {
				Expect(w.theirs.grants(ctx, name, ada, hour).Release(ctx)).To(BeTrue())
				Expect(w.ours.rows(ctx)).To(HaveLen(len(goodTexts()) - i - 1))
			}
		})
	})

	Describe("a good owner", func() {
		It("M5 is another owner than every other that is not the same byte for byte", func(ctx SpecContext) {
			owners := goodTexts()
			for i, owner := range owners {
				w.ours.grants(ctx, nightly, owner, hour)
				for _, other := range owners[i+1:] {
					Expect(w.theirs.refuses(ctx, nightly, other, hour).Owner).To(Equal(owner))
				}
				w.Advance(ctx, hour)
			}
		})

		It("M5 is stored whole, and recognised by itself", func(ctx SpecContext) {
			for _, owner := range append(goodTexts(), "namedlock:x") {
				lock := w.ours.grants(ctx, nightly, owner, hour)
				Expect(w.theirs.sees(ctx, nightly).Owner).To(Equal(owner))
				again := w.theirs.grants(ctx, nightly, owner, hour)
				Expect(again.Token()).To(Equal(lock.Token()))
				Expect(again.Release(ctx)).To(BeTrue())
			}
		})
	})
}
