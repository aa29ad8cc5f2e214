//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// with returns the arguments that run a command under the world's lock with options.
func (w world) with(options string, command ...string) []string {
	args := append([]string{"run", w.name, "--store", w.store}, strings.Fields(options)...)
	return append(append(args, "--"), command...)
}

func TestAtLeastKeepsTheNameTakenAfterTheCommand(t *testing.T) {
	onEachStore(t, func(w world) {
		run(w.T, w.with("--at-least 1h", "sh", "-c", "exit 3")...).checkCode(w.T, 3)
		entry, found := w.entry(w.locker())
		if held := entry.Deadline.Sub(entry.AcquiredAt); !found || held < time.Hour || held > time.Hour+time.Minute {
			w.Errorf("the lock is %+v", entry)
		}
		run(w.T, w.under("true")...).checkFailure(w.T, codeHeld)
	})
}

func TestAtLeastIsOverWhenTheCommandRanLonger(t *testing.T) {
	onEachStore(t, func(w world) {
		run(w.T, w.with("--at-least 1ms", "true")...).checkCode(w.T, 0)
		w.checkReleased()
		run(w.T, w.with("--at-least 1h", "no-such-program")...).checkFailure(w.T, codeNotFound)
		w.checkReleased()
	})
}

func TestAtMostEndsTheCommand(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.with("--at-most 200ms --grace 200ms", executable(w.T), beStubborn)...)
		got := r.end()
		got.checkFailure(w.T, codeLost, "--at-most 200ms")
		w.checkReleased()
	})
}

func TestALossThatIsIgnoredLeavesTheCommandAlone(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.with("--ttl 1s --on-lost ignore", executable(w.T), beReporter)...)
		r.expect("ready")
		w.breakLock(w.locker())
		eventually(w.T, "the loss was told", func() bool { return strings.Contains(r.words.String(), "carries on") })
		got := r.end()
		got.checkFailure(w.T, codeLost, "broken by somebody else")
		if got.out != "" {
			w.Errorf("the command was told %q", got.out)
		}
	})
}

func TestWhatIsSaidAndReturnedOfALockThatIsHeldCanBeChosen(t *testing.T) {
	onEachStore(t, func(w world) {
		w.hold(w.locker())
		marker := filepath.Join(w.TempDir(), "started")
		run(w.T, w.with("--held-exit 0", "touch", marker)...).checkFailure(w.T, 0, "somebody else")
		run(w.T, w.with("--quiet", "touch", marker)...).checkCode(w.T, codeHeld)
		run(w.T, w.with("--quiet --held-exit 7 --wait 3s", "touch", marker)...).checkCode(w.T, 7)
		checkMissing(w.T, marker)
	})
}

func TestQuietIsNotSilentAboutTrouble(t *testing.T) {
	t.Parallel()
	run(t, "run", "x", "--quiet", "--held-exit", "0", "--store", "sqlite:/no/such/folder/x.db", "--", "true").checkFailure(t, codeStore)
}
