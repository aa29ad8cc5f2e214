package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
)

// The schema repeats the domain's limits, so that no other writer can put in what the domain would refuse.
func TestTheTableRefusesWhatTheDomainRefuses(t *testing.T) {
	path := newPath(t)
	open(t, path, nil)
	writer := newForeign(t, path)
	const insert = "INSERT INTO namedlock_locks (name, owner, token, claim, acquired_at, deadline) VALUES (?, ?, ?, 1, 1, ?)"
	refuses := func(what string, row ...any) {
		t.Helper()
		if _, err := writer.conn.ExecContext(t.Context(), insert, row...); err == nil || !strings.Contains(err.Error(), "constraint") && !strings.Contains(err.Error(), "cannot store") {
			t.Errorf("%s: %v, want a violated constraint", what, err)
		}
	}
	refuses("an empty name", "", "A", 1, 1)
	refuses("a long name", strings.Repeat("é", 128), "A", 1, 1)
	refuses("a reserved name", "namedlock:x", "A", 1, 1)
	refuses("a name with a NUL", "a\x00b", "A", 1, 1)
	refuses("an empty owner", "x", "", 1, 1)
	refuses("a long owner", "x", strings.Repeat("a", 256), 1, 1)
	refuses("an owner with a NUL", "x", "a\x00b", 1, 1)
	refuses("token 0", "x", "A", 0, 1)
	refuses("no deadline", "x", "A", 1, nil)
	refuses("a deadline that is a text", "x", "A", 1, "tomorrow")
	refuses("a name of bytes", []byte("x"), "A", 1, 1)
	for r := range rune(0x3100) {
		if blank := string(r); r != 0 && strings.TrimSpace(blank) == "" {
			refuses("a blank name", blank, "A", 1, 1)
			refuses("a blank owner", "x", blank, 1, 1)
		}
	}
	writer.does(insert, strings.Repeat("é", 127), "NAMEDLOCK:", 1, 1)
}

// Numbers come from a counter of the file, not from its rows.
func TestM2TokensDoNotGoBackWhenTheRowsAreGone(t *testing.T) {
	path := newPath(t)
	var last namedlock.Token
	for _, between := range []string{"DELETE FROM namedlock_locks", "VACUUM", "UPDATE namedlock_locks SET deadline = 0", "SELECT 1"} {
		repo := open(t, path, nil)
		lock := grant(t, namedlock.New(repo), "x", "A", time.Hour)
		if lock.Token() <= last {
			t.Errorf("token %d after %d", lock.Token(), last)
		}
		last = lock.Token()
		if between != "UPDATE namedlock_locks SET deadline = 0" {
			_, _ = lock.Release(t.Context())
		}
		_ = repo.Close()
		newForeign(t, path).does(between)
	}
}
