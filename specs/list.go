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

		for _, by := range prefixes() {
			It("M5 by "+by.what+" shows the names that begin with it, byte for byte, and no others", func(ctx SpecContext) {
				w.hold(ctx, likeNames())
				wanted := slices.DeleteFunc(slices.Sorted(slices.Values(likeNames())), func(name string) bool {
					return !strings.HasPrefix(name, by.text)
				})
				Expect(w.theirs.lists(ctx, by.text)).To(HaveExactElements(wanted))
			})
		}

		for _, prefix := range []string{"a\x00", "a\xff", strings.Repeat("x", 256)} {
			It(fmt.Sprintf("M5 by what no name can begin with is ErrInvalidName: %.10q", prefix), func(ctx SpecContext) {
				for entry, err := range w.ours.List(ctx, prefix) {
					Expect(entry).To(Equal(namedlock.Entry{}))
					Expect(err).To(MatchError(namedlock.ErrInvalidName))
				}
			})
		}

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

// likeNames are names that a pattern, a collation or a wrong end of a range would take for one another.
func likeNames() []string {
	return []string{
		"a", "a%", "a%b", "a_", "a_b", "ab", "axb", "A", "Ab", "á", "áb", "a\u0301", `a\`, `a\b`, "a*", "a*b", "a?b", "b",
		"a\ufffdb", "a\U0010ffffb", "\U0010ffff", "\U0010ffff\U0010ffff", "\ud7ff", "\ud7ffx", "\ue000", "🔒", "🔒🔒", "🔓",
		"%", "_", "%a", " a", strings.Repeat("x", 255), strings.Repeat("x", 254), strings.Repeat("\U0010ffff", 63),
	}
}

// prefix is the beginning of names, and what to call it.
type prefix struct{ what, text string }

func prefixes() []prefix {
	return []prefix{
		{"a letter", "a"},
		{"a capital", "A"},
		{"a percent sign", "a%"},
		{"nothing but a percent sign", "%"},
		{"an underscore", "a_"},
		{"a backslash", `a\`},
		{"a star", "a*"},
		{"a question mark", "a?"},
		{"a space", " "},
		{"a rune of two bytes", "á"},
		{"a rune of four bytes", "🔒"},
		{"the rune before the surrogates", "\ud7ff"},
		{"the largest rune", "\U0010ffff"},
		{"a letter and the largest rune", "a\U0010ffff"},
		{"the replacement character", "a\ufffd"},
		{"a whole name", "axb"},
		{"255 bytes", strings.Repeat("x", 255)},
		{"what no name begins with", "nobody"},
		{"the namespace of the library", domain.ReservedPrefix},
	}
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
