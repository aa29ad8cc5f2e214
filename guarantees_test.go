package namedlock_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of the table of guarantees names a spec that exists, and every decision that it links to is there.
func TestGuaranteesNameSpecsAndDecisionsThatExist(t *testing.T) {
	table, err := os.ReadFile("docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	specs := sourceOf(t, "specs/*.go")
	for _, title := range regexp.MustCompile(`"([LM]\d+ [^"|]+)" \|`).FindAllStringSubmatch(string(table), -1) {
		if !strings.Contains(specs, `"`+title[1]+`"`) {
			t.Errorf("no spec is titled %q", title[1])
		}
	}
	for _, link := range regexp.MustCompile(`\((decisions/[^)]+)\)`).FindAllStringSubmatch(string(table), -1) {
		if _, err := os.Stat(filepath.Join("docs", link[1])); err != nil {
			t.Error(err)
		}
	}
}

// sourceOf returns the text of all files that match.
func sourceOf(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
