//go:build unix

package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

func TestTheCommandsExitCodeIsOursAndTheLockIsReleased(t *testing.T) {
	unexecutable := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(unexecutable, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	onEachStore(t, func(w world) {
		for _, code := range []int{0, 1, 2, 3, 64, 75, 76, 127, 255} {
			run(w.T, w.under("sh", "-c", fmt.Sprint("exit ", code))...).checkCode(w.T, code)
		}
		run(w.T, w.under("sh", "-c", "kill -KILL $$")...).checkCode(w.T, 128+9)
		run(w.T, w.under("sh", "-c", "kill -TERM $$")...).checkCode(w.T, 128+15)
		run(w.T, w.under("no-such-program")...).checkFailure(w.T, codeNotFound, "no-such-program")
		run(w.T, w.under("/no/such/program")...).checkFailure(w.T, codeNotFound, "/no/such/program")
		run(w.T, w.under(unexecutable)...).checkFailure(w.T, codeNotExecutable, unexecutable)
		run(w.T, w.under(w.TempDir())...).checkFailure(w.T, codeNotExecutable)
		w.checkReleased()
	})
}

func TestWhileTheLockIsHeldNobodyElseStarts(t *testing.T) {
	onEachStore(t, func(w world) {
		marker := filepath.Join(w.TempDir(), "started")
		holder := begin(w.T, w.under("sh", "-c", "echo ready; read line; exit 3")...)
		holder.expect("ready")
		incumbent, _ := w.entry(w.locker())

		refused := run(w.T, w.under("touch", marker)...)
		refused.checkFailure(w.T, codeHeld, w.name, incumbent.Owner, fmt.Sprint("token ", incumbent.Token, ","),
			incumbent.Deadline.Format(time.RFC3339Nano), "left)")
		checkMissing(w.T, marker)

		holder.end().checkCode(w.T, 3)
		w.checkReleased()
		run(w.T, w.under("touch", marker)...).checkCode(w.T, 0)
		if _, err := os.Stat(marker); err != nil {
			w.Error(err)
		}
	})
}

func TestOfTwentyCopiesOneRuns(t *testing.T) {
	onEachStore(t, func(w world) {
		const copies = 20
		marks := filepath.Join(w.TempDir(), "marks")
		results := make(chan result, copies)
		var all []running
		for range copies {
			r := begin(w.T, w.under("sh", "-c", `echo ran >>"$0"; read line`, marks)...)
			all = append(all, r)
			go func() {
				_ = r.cmd.Wait()
				results <- result{code: process.CodeOf(r.cmd.ProcessState), err: r.words.String()}
			}()
		}
		for range copies - 1 {
			got := <-results
			got.checkFailure(w.T, codeHeld)
		}
		for _, r := range all {
			_ = r.in.Close()
		}
		if last := <-results; last.code != 1 { // read met the end of its input
			w.Errorf("the one that ran ended with %+v", last)
		}
		if ran, err := os.ReadFile(marks); string(ran) != "ran\n" {
			w.Errorf("the command ran as %q says, %v", ran, err)
		}
		w.checkReleased()
	})
}

func TestTheLockIsKeptBeyondItsTTL(t *testing.T) {
	onEachStore(t, func(w world) {
		const ttl = time.Second // long enough that a busy machine does not lose it
		holder := begin(w.T, w.withTTL(ttl.String(), "sh", "-c", "echo ready; read line; exit 3")...)
		holder.expect("ready")
		locker := w.locker()
		first, _ := w.entry(locker)
		eventually(w.T, "the first deadline had passed", func() bool {
			entry, found := w.entry(locker)
			if !found || entry.Token != first.Token || entry.Lapsed() {
				w.Fatalf("the lock was not kept: %+v", entry)
			}
			return entry.SeenAt.After(first.Deadline)
		})
		run(w.T, w.under("true")...).checkFailure(w.T, codeHeld, first.Owner)
		holder.end().checkCode(w.T, 3)
		w.checkReleased()
	})
}

func TestTheCommandIsToldAboutTheLock(t *testing.T) {
	onEachStore(t, func(w world) {
		script := `printf '%s\n' "$NAMEDLOCK_NAME" "$NAMEDLOCK_OWNER" "$NAMEDLOCK_TOKEN" "$NAMEDLOCK_DEADLINE"; read line; exit 0`
		cmd := namedlockCommand(w.T, w.under("sh", "-c", script)...)
		cmd.Env = append(cmd.Env, "NAMEDLOCK_TOKEN=of somebody else")
		r := launch(w.T, cmd)
		name, owner, token, deadline := r.line(), r.line(), r.line(), r.line()
		entry, _ := w.entry(w.locker())
		if name != w.name || owner != entry.Owner || token != fmt.Sprint(entry.Token) {
			w.Errorf("the command heard of %q, %q, %q; the store holds %+v", name, owner, token, entry)
		}
		if told, err := time.Parse(time.RFC3339Nano, deadline); err != nil || !told.Equal(entry.Deadline) {
			w.Errorf("the command heard of the deadline %q, the store holds %v", deadline, entry.Deadline)
		}
		r.end().checkCode(w.T, 0)
	})
}

func TestArgumentsArriveByteForByte(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	args := []string{"", " ", "a b", "--", "--ttl", "-h", "--store=x", "run", "*", "$HOME", "`id`", `"'\`, "a\nb\n", "\xff\xfe", "ü"}
	got := run(t, w.under(append([]string{"sh", "-c", `printf '%s\0' "$@"`, "sh"}, args...)...)...)
	got.checkCode(t, 0)
	if want := strings.Join(args, "\x00") + "\x00"; got.out != want {
		t.Errorf("the command got %q, want %q", got.out, want)
	}
}

func TestInputAndOutputAreTheCommandsOwn(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	data := make([]byte, 4<<20)
	_, _ = rand.Read(data)
	cmd := namedlockCommand(t, w.under("cat")...)
	cmd.Stdin = bytes.NewReader(data)
	got := finish(t, cmd)
	got.checkCode(t, 0)
	if got.out != string(data) {
		t.Errorf("%d bytes went in, and other %d came out", len(data), len(got.out))
	}
	got = run(t, w.under("sh", "-c", "echo out; echo err >&2")...)
	if got != (result{0, "out\n", "err\n"}) {
		t.Errorf("%+v", got)
	}
}

func TestAnInheritedFileIsTheCommandsToo(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	file, err := os.Create(filepath.Join(t.TempDir(), "third"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd := namedlockCommand(t, w.under("sh", "-c", "echo hello >&3")...)
	cmd.ExtraFiles = []*os.File{file}
	finish(t, cmd).checkCode(t, 0)
	if text, err := os.ReadFile(file.Name()); string(text) != "hello\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestTheLongestTTLIsALockThatIsHeld(t *testing.T) {
	onEachStore(t, func(w world) {
		holder := begin(w.T, w.withTTL(time.Duration(math.MaxInt64).String(), "sh", "-c", "echo ready; read line; exit 3")...)
		holder.expect("ready")
		run(w.T, w.under("true")...).checkFailure(w.T, codeHeld)
		holder.end().checkCode(w.T, 3)
	})
}

func TestATTLTooShortForTheStoreStartsNothing(t *testing.T) {
	onEachStore(t, func(w world) {
		marker := filepath.Join(w.TempDir(), "started")
		run(w.T, w.withTTL("1ns", "touch", marker)...).checkFailure(w.T, codeStore, "--ttl")
		checkMissing(w.T, marker)
		w.checkReleased()
	})
}
