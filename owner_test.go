package namedlock

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alkstore/namedlock/domain"
)

func TestNewOwnersAreDistinctAndValid(t *testing.T) {
	seen := map[string]bool{}
	for range 10_000 {
		owner := NewOwner()
		if seen[owner] {
			t.Fatalf("%q was drawn twice", owner)
		}
		seen[owner] = true
		if _, err := domain.NewOwner(owner); err != nil {
			t.Fatalf("%q: %v", owner, err)
		}
	}
}

// Two containers may have the same host name and process id, so what is left has to differ by itself. 26 letters of an
// alphabet of 32 are 130 bits.
func TestNewOwnersDifferThoughHostAndProcessDoNot(t *testing.T) {
	same := fmt.Sprintf("%s-%d-", hostname(), os.Getpid())
	tails := map[string]bool{}
	for range 1000 {
		tail, found := strings.CutPrefix(NewOwner(), same)
		if !found || len(tail) != 26 {
			t.Fatalf("%q does not follow %q", tail, same)
		}
		tails[tail] = true
	}
	if len(tails) != 1000 {
		t.Errorf("of 1000 owners only %d differ in their random part", len(tails))
	}
}

func TestAHostNameFitsAnOwner(t *testing.T) {
	host := hostname()
	if host == "" || len(host) > longestHost || !utf8.ValidString(host) || strings.ContainsRune(host, 0) {
		t.Errorf("host name is %q", host)
	}
}
