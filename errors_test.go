package namedlock

import (
	"strings"
	"testing"
	"time"
)

func TestErrorsTellTheAttemptTheNameAndTheCause(t *testing.T) {
	inTime(t, func(t *testing.T, s *store, locker *Locker) {
		lock := take(t, locker, "reports", "ann", time.Hour)
		s.goDown()
		_, _, ofTry := locker.TryLock(t.Context(), "reports", "ann", time.Hour)
		_, ofRenew := lock.Renew(t.Context(), time.Hour)
		_, ofRelease := lock.Release(t.Context())
		_, _, ofFind := locker.Find(t.Context(), "reports")
		_, ofBreak := locker.Break(t.Context(), "reports", lock.Token())
		_, ofPurge := locker.Purge(t.Context(), 0)
		for beginning, err := range map[string]error{
			`try "reports"`:     ofTry,
			`renew "reports"`:   ofRenew,
			`release "reports"`: ofRelease,
			`find "reports"`:    ofFind,
			`break "reports"`:   ofBreak,
			`list "rep"`:        listed(locker.List(t.Context(), "rep")).err,
			`purge`:             ofPurge,
		} {
			is(t, err, ErrDatabase, errDown)
			if want := "namedlock: " + beginning + ": store failed: connection refused"; err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
		}
	})
}

func TestErrorsAboutWrongInputTellTheAttemptAndTheName(t *testing.T) {
	locker := New(newStore())
	_, _, ofTry := locker.TryLock(t.Context(), "namedlock:x", "ann", time.Hour)
	_, _, ofFind := locker.Find(t.Context(), "namedlock:x")
	_, ofBreak := locker.Break(t.Context(), "namedlock:x", 1)
	for beginning, err := range map[string]error{
		`namedlock: try "namedlock:x": `:   ofTry,
		`namedlock: find "namedlock:x": `:  ofFind,
		`namedlock: break "namedlock:x": `: ofBreak,
		`namedlock: list "\x00": `:         listed(locker.List(t.Context(), "\x00")).err,
	} {
		if !strings.HasPrefix(err.Error(), beginning) {
			t.Errorf("%q does not begin with %q", err, beginning)
		}
	}
}

func TestErrorsShowTheBeginningOfALongName(t *testing.T) {
	tests := map[string]string{
		strings.Repeat("x", 64):                  `"` + strings.Repeat("x", 64) + `": `,
		strings.Repeat("x", 65):                  `"` + strings.Repeat("x", 64) + `"...: `,
		strings.Repeat("x", 10<<20):              `"` + strings.Repeat("x", 64) + `"...: `,
		strings.Repeat("x", 63) + "🔒yz":          `"` + strings.Repeat("x", 63) + `"...: `,
		"\x1b[31m" + strings.Repeat("\xff", 300): `"\x1b[31m\xff`,
	}
	locker := New(newStore())
	for name, want := range tests {
		_, _, err := locker.TryLock(t.Context(), name, "", time.Hour)
		if !strings.HasPrefix(err.Error(), "namedlock: try "+want) || len(err.Error()) > 500 {
			t.Errorf("got %.600q, want it to begin %q", err, want)
		}
	}
}
