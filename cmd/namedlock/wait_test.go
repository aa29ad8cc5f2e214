//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
)

// waiting returns the arguments that run a command when the world's lock is free.
func (w world) waiting(wait string, command ...string) []string {
	return append([]string{"run", w.name, "--store", w.store, "--ttl", "1m", "--wait", wait, "--"}, command...)
}

// hold takes the world's lock as somebody else.
func (w world) hold(locker *namedlock.Locker) *namedlock.Lock {
	w.Helper()
	lock, incumbent, err := locker.TryLock(w.Context(), w.name, "somebody else", time.Hour)
	if lock == nil {
		w.Fatal(incumbent, err)
	}
	return lock
}

func TestAWaitEndsWithTheLock(t *testing.T) {
	onEachStore(t, func(w world) {
		lock := w.hold(w.locker())
		r := begin(w.T, w.waiting("forever", "sh", "-c", "echo ready; read line; exit 3")...)
		w.untilWaiting(r)
		if released, err := lock.Release(w.Context()); !released || err != nil {
			w.Fatal(released, err)
		}
		r.expect("ready")
		r.end().checkCode(w.T, 3)
		w.checkReleased()
	})
}

// untilWaiting waits until the process has met the lock. That it waits leaves no trace, but the store is open in it by then:
// before that a signal may come too early to be caught.
func (w world) untilWaiting(r running) {
	w.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", r.cmd.Process.Pid)
	eventually(w.T, "the command has its store open", func() bool {
		files, err := os.ReadDir(folder)
		return err != nil || slices.ContainsFunc(files, func(file os.DirEntry) bool {
			target, _ := os.Readlink(filepath.Join(folder, file.Name()))
			return strings.HasPrefix(target, "socket:") || strings.Contains(target, ".db")
		})
	})
	time.Sleep(200 * time.Millisecond) // its first try is over then, or the test shows less than it could
}

func TestAWaitThatRanOutIs75(t *testing.T) {
	onEachStore(t, func(w world) {
		w.hold(w.locker())
		marker := filepath.Join(w.TempDir(), "started")
		for wait, bound := range map[string]time.Duration{"0": 0, "3s": 3 * time.Second} {
			began := time.Now()
			got := run(w.T, w.waiting(wait, "touch", marker)...)
			got.checkFailure(w.T, codeHeld, `is held by "somebody else"`)
			if took := time.Since(began); took < bound {
				w.Errorf("--wait %s was over after %v", wait, took)
			}
		}
		checkMissing(w.T, marker)
	})
}

func TestAWaitForALockThatLapsesEndsThen(t *testing.T) {
	onEachStore(t, func(w world) {
		if lock, _, err := w.locker().TryLock(w.Context(), w.name, "somebody else", time.Second); lock == nil {
			w.Fatal(err)
		}
		run(w.T, w.waiting("30s", "true")...).checkCode(w.T, 0)
		w.checkReleased()
	})
}

func TestASignalEndsAWaitAtOnceAndLeavesNothing(t *testing.T) {
	onEachStore(t, func(w world) {
		locker := w.locker()
		lock := w.hold(locker)
		marker := filepath.Join(w.TempDir(), "started")
		for _, sig := range []syscall.Signal{
			syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		} {
			r := begin(w.T, w.waiting("forever", "touch", marker)...)
			w.untilWaiting(r)
			r.signal(sig)
			r.end().checkCode(w.T, 128+int(sig))
		}
		if released, err := lock.Release(w.Context()); !released || err != nil {
			w.Error(released, err)
		}
		checkMissing(w.T, marker)
		w.checkReleased()
	})
}

func TestAWaitForAFrozenStoreEndsAtItsBoundWith69(t *testing.T) {
	onEachStore(t, func(w world) {
		const bound = 3 * time.Second
		marker := filepath.Join(w.TempDir(), "started")
		if strings.HasPrefix(w.store, "sqlite:") {
			_ = w.locker() // makes the file
			defer w.freezeFile(strings.TrimPrefix(w.store, "sqlite:"))()
		} else {
			through, gate := behindGate(w)
			gate.close()
			w = through
		}
		began := time.Now()
		got := run(w.T, w.waiting(bound.String(), "touch", marker)...)
		got.checkFailure(w.T, codeStore)
		if took := time.Since(began); took < bound || took > bound+4*time.Second {
			w.Errorf("it was over after %v", took)
		}
		checkMissing(w.T, marker)
	})
}

func TestAStoreThatFreezesInTheMidstOfAWaitIs69(t *testing.T) {
	onEachStore(t, func(w world) {
		if strings.HasPrefix(w.store, "sqlite:") {
			return // readers of a file cannot be held up
		}
		w.hold(w.locker())
		through, gate := behindGate(w)
		const bound = 6 * time.Second
		began := time.Now()
		r := begin(w.T, through.waiting(bound.String(), "true")...)
		eventually(w.T, "the command listens, on a connection of its own", func() bool { return gate.passed.Load() > 1 })
		gate.close()
		r.end().checkFailure(w.T, codeStore, "has not answered")
		if took := time.Since(began); took < bound || took > bound+3*time.Second {
			w.Errorf("it was over after %v", took)
		}
	})
}

func TestASignalEndsAWaitForAFrozenStore(t *testing.T) {
	onEachStore(t, func(w world) {
		if strings.HasPrefix(w.store, "sqlite:") {
			return // readers of a file cannot be held up
		}
		w.hold(w.locker())
		through, gate := behindGate(w)
		r := begin(w.T, through.waiting("forever", "true")...)
		eventually(w.T, "the command listens, on a connection of its own", func() bool { return gate.passed.Load() > 1 })
		gate.close()
		eventually(w.T, "its next look is on its way", func() bool { return gate.held.Load() > 0 })
		signalled := time.Now()
		r.signal(syscall.SIGTERM)
		r.end().checkCode(w.T, 128+15)
		if took := time.Since(signalled); took > closeBound+2*time.Second {
			w.Errorf("it took %v", took)
		}
	})
}

func TestOfTwentyCopiesThatWaitOneRunsAfterTheOther(t *testing.T) {
	onEachStore(t, func(w world) {
		const copies = 20
		folder := w.TempDir()
		// Two at once would find the folder made already, and say so by their exit codes.
		script := `mkdir "$0/alone" || exit 9; echo ran >>"$0/marks"; rmdir "$0/alone"`
		results := make(chan result, copies)
		for range copies {
			cmd := namedlockCommand(w.T, w.waiting("forever", "sh", "-c", script, folder)...)
			go func() { results <- finish(w.T, cmd) }()
		}
		for range copies {
			got := <-results
			got.checkCode(w.T, 0)
		}
		if ran, err := os.ReadFile(filepath.Join(folder, "marks")); string(ran) != strings.Repeat("ran\n", copies) {
			w.Errorf("the copies ran as %q says, %v", ran, err)
		}
		w.checkReleased()
	})
}

func TestTwoRunsOfOneOwnerExcludeEachOther(t *testing.T) {
	onEachStore(t, func(w world) {
		mine := func(wait string, command ...string) []string {
			return append([]string{"run", w.name, "--store", w.store, "--owner", "me", "--wait", wait, "--"}, command...)
		}
		first := begin(w.T, mine("0", "sh", "-c", `echo "$NAMEDLOCK_OWNER"; read line; exit 3`)...)
		first.expect("me")
		run(w.T, mine("0", "true")...).checkFailure(w.T, codeHeld, `is held by "me"`)
		run(w.T, mine("3s", "true")...).checkFailure(w.T, codeHeld, `is held by "me"`)
		second := begin(w.T, mine("forever", "echo", "second")...)
		w.untilWaiting(second)
		first.end().checkCode(w.T, 3)
		second.expect("second")
		second.end().checkCode(w.T, 0)
		w.checkReleased()
	})
}
