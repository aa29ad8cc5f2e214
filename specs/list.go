package specs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// listing is the look at many names.
func listing(w *world) {
	Describe("a list", func() {
		It("M5 shows every name in byte order, whatever a collation thinks of it", func(ctx SpecContext) {
			names := []string{"b", "B", "a", "ä", "z", "a b", "ab", "a-b", "_", "é", "e\u0301", "\ufffd", "😀", "10", "9", "~", "A"}
			w.hold(ctx, names)
			Expect(w.theirs.lists(ctx, "")).To(Equal(slices.Sorted(slices.Values(names))))
		})

		It("shows nothing of an empty store", func(ctx SpecContext) {
			Expect(w.ours.lists(ctx, "")).To(BeEmpty())
			Expect(w.ours.lists(ctx, "a")).To(BeEmpty())
		})

		DescribeTable("of a prefix shows the names that begin with it, byte for byte, and no others",
			func(ctx SpecContext, prefix string) {
				names := []string{
					"a", "a%", "a%b", "a_", "a_b", "ab", "axb", "A", "Ab", "á", "áb", "a\u0301", `a\`, `a\b`, "a*", "a*b", "a?b", "b",
					"a\ufffdb", "a\U0010ffffb", "\U0010ffff", "\U0010ffff\U0010ffff", "\ud7ff", "\ud7ffx", "\ue000", "🔒", "🔒🔒", "🔓", "%", "_", "%a", " a",
					strings.Repeat("x", 255), strings.Repeat("x", 254), strings.Repeat("\U0010ffff", 63),
				}
				w.hold(ctx, names)
				wanted := slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(name string) bool { return !strings.HasPrefix(name, prefix) })
				Expect(w.theirs.lists(ctx, prefix)).To(HaveExactElements(wanted))
			},
			Entry("M5 a letter", "a"),
			Entry("M5 a capital", "A"),
			Entry("M5 a percent sign", "a%"),
			Entry("M5 a percent sign alone", "%"),
			Entry("M5 an underscore", "a_"),
			Entry("M5 a backslash", `a\`),
			Entry("M5 a star", "a*"),
			Entry("M5 a question mark", "a?"),
			Entry("M5 a rune of two bytes", "á"),
			Entry("M5 a rune of four bytes", "🔒"),
			Entry("M5 the rune before the surrogates", "\ud7ff"),
			Entry("M5 the largest rune", "\U0010ffff"),
			Entry("M5 the largest rune at the end", "a\U0010ffff"),
			Entry("M5 the replacement character", "a\ufffd"),
			Entry("M5 a space", " "),
			Entry("M5 a whole name", "axb"),
			Entry("M5 255 bytes", strings.Repeat("x", 255)),
			Entry("M5 what no name begins with", "nobody"),
			Entry("M5 the namespace of the library", domain.ReservedPrefix),
		)

		DescribeTable("of a bad prefix is ErrInvalidName",
			func(ctx SpecContext, prefix string) {
				for entry, err := range w.ours.List(ctx, prefix) {
					Expect(entry).To(Equal(namedlock.Entry{}))
					Expect(err).To(MatchError(namedlock.ErrInvalidName))
				}
			},
			Entry("M5 a NUL", "a\x00"),
			Entry("M5 a byte that is not UTF-8", "a\xff"),
			Entry("M5 256 bytes", strings.Repeat("x", 256)),
		)

		It("L3 shows live and lapsed locks, each as it is", func(ctx SpecContext) {
			w.ours.grants(ctx, "short", ada, hour)
			w.ours.grants(ctx, "long", bob, 3*hour)
			w.Advance(ctx, 2*hour)
			Expect(w.theirs.lists(ctx, "")).To(Equal([]string{"long", "short"}))
			for entry, err := range w.theirs.List(ctx, "") {
				Expect(err).NotTo(HaveOccurred())
				Expect(entry.Lapsed()).To(Equal(entry.Name == "short"))
				seen := w.ours.sees(ctx, entry.Name)
				seen.SeenAt = entry.SeenAt
				Expect(entry).To(Equal(seen))
			}
		})

		It("shows a great many names, each once, page by page", func(ctx SpecContext) {
			names := numbered("many", 1200)
			w.hold(ctx, names)
			w.hold(ctx, []string{"aside", "zebra"})
			Expect(w.theirs.lists(ctx, "many")).To(Equal(names))
			Expect(w.theirs.lists(ctx, "")).To(HaveLen(1202))
		})

		It("shows at the port no more than a page, beginning after the name before", func(ctx SpecContext) {
			w.hold(ctx, []string{"a", "b", "ba", "bb", "c"})
			prefix := valid(domain.NewPrefix("b"))
			Expect(w.page(ctx, prefix, ports.Page{Limit: 2})).To(Equal([]string{"b", "ba"}))
			Expect(w.page(ctx, prefix, ports.Page{Limit: 2, After: nameOf("ba")})).To(Equal([]string{"bb"}))
			Expect(w.page(ctx, prefix, ports.Page{Limit: 2, After: nameOf("bb")})).To(BeEmpty())
			Expect(w.page(ctx, prefix, ports.Page{Limit: 2, After: nameOf("a")})).To(Equal([]string{"b", "ba"}))
			Expect(w.page(ctx, domain.Prefix{}, ports.Page{Limit: 100, After: nameOf("b0")})).To(Equal([]string{"ba", "bb", "c"}))
		})

		It("changes nothing", func(ctx SpecContext) {
			w.hold(ctx, numbered("held", 5))
			w.Advance(ctx, hour)
			before := w.ours.rows(ctx)
			w.theirs.lists(ctx, "")
			w.theirs.lists(ctx, "held")
			Expect(w.ours.rows(ctx)).To(Equal(before))
		})
	})
}

// hold lets Ada hold the names for an hour, through both handles in turn.
func (w *world) hold(ctx context.Context, names []string) {
	GinkgoHelper()
	for i, name := range names {
		w.side(i).grants(ctx, name, ada, hour)
	}
}

// lists returns the names of a list.
func (p party) lists(ctx context.Context, prefix string) []string {
	GinkgoHelper()
	var names []string
	for entry, err := range p.List(ctx, prefix) {
		Expect(err).NotTo(HaveOccurred())
		names = append(names, entry.Name)
	}
	return names
}

// page returns the names of one page at the port.
func (w *world) page(ctx context.Context, prefix domain.Prefix, page ports.Page) []string {
	GinkgoHelper()
	var names []string
	for _, sighting := range valid(w.Repository.List(ctx, prefix, page)) {
		names = append(names, sighting.Lock.Name().String())
	}
	return names
}

// numbered returns n names in their order.
func numbered(stem string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s/%04d", stem, i))
	}
	return names
}
