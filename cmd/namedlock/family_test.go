//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// family is a script that starts two more processes and prints their numbers and its own. What it does then stands for "%s".
const family = `sleep 1000 & echo $!; (trap "" TERM; echo ready >&2; sleep 1000) & echo $!; echo $$; %s`

// pids returns the next numbers that a command prints.
func (r running) pids(n int) (pids []int) {
	r.t.Helper()
	for range n {
		pid, err := strconv.Atoi(r.line())
		if err != nil {
			r.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// checkGone fails unless the processes have ended. Whoever inherits a dead process may take its time to see it off.
func checkGone(t *testing.T, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if lives(pid) {
			t.Errorf("process %d lives", pid)
		}
	}
}

func lives(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// withGrace returns the arguments that run a command which has that long to end.
func (w world) withGrace(grace string, command ...string) []string {
	return append([]string{"run", w.name, "--store", w.store, "--ttl", "1m", "--grace", grace, "--"}, command...)
}

func TestWhatTheCommandLeavesBehindEndsBeforeTheLockIsReleased(t *testing.T) {
	for title, end := range map[string]struct {
		script string
		code   int
	}{
		"it ends by itself": {"exit 3", 3},
		"it is killed":      {"kill -KILL $$", 128 + 9},
	} {
		t.Run(title, func(t *testing.T) {
			onEachStore(t, func(w world) {
				r := begin(w.T, w.withGrace("300ms", "sh", "-c", fmt.Sprintf(family, end.script))...)
				pids := r.pids(3)
				got := r.end()
				checkGone(w.T, pids...)
				if got.code != end.code {
					w.Errorf("exit code %d, want %d", got.code, end.code)
				}
				w.checkReleased()
			})
		})
	}
}

func TestASignalToUsEndsTheWholeFamily(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.under("sh", "-c", "sleep 1000 & echo $!; echo $$; sleep 1000")...)
		pids := r.pids(2)
		r.signal(syscall.SIGTERM)
		r.end().checkCode(w.T, 128+15)
		checkGone(w.T, pids...)
		w.checkReleased()
	})
}

func TestALostLockEndsTheWholeFamily(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.withTTL("2s", "sh", "-c", fmt.Sprintf(family, "sleep 1000"))...)
		pids := r.pids(3)
		w.breakLock(w.locker())
		if got := r.end(); got.code != codeLost || !strings.Contains(got.err, "broken by somebody else") {
			w.Errorf("%+v", got)
		}
		checkGone(w.T, pids...)
	})
}

func TestNobodyGetsTheLockWhileSomethingOfTheCommandLives(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.withGrace("1s", "sh", "-c", `(trap "" TERM; while :; do echo; sleep 0.01; done) & exit 0`)...)
		r.line()
		locker := w.locker()
		eventually(w.T, "the name is free", func() bool {
			_, found := w.entry(locker)
			return !found
		})
		released := time.Now()
		got := r.end() // the output ends when nobody is left who could write
		if late := time.Since(released); late > 10*time.Second || got.code != 0 {
			w.Errorf("the command wrote for %v after the lock was free, and ended with %+v", late, got.code)
		}
	})
}
