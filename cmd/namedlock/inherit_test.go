//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTheCommandInheritsNothingOfOurs(t *testing.T) {
	onEachStore(t, func(w world) {
		got := run(w.T, w.under("sh", "-c", "ls -l /proc/self/fd | sed 's/.*[0-9] -> //' | sort -u")...)
		got.checkCode(w.T, 0)
		for line := range strings.Lines(got.out) {
			if strings.Contains(line, "socket:") || strings.Contains(line, "locks.db") || strings.Contains(line, "eventpoll") {
				w.Errorf("the command has %s open", line)
			}
		}
	})
}

func TestTheStoreIsToldOnlyToWhomItWasToldAlready(t *testing.T) {
	onEachStore(t, func(w world) {
		got := run(w.T, w.under("env")...)
		if strings.Contains(got.out, w.store) || strings.Contains(got.out, storeVariable) {
			w.Errorf("the environment tells of the store: %s", got.out)
		}
		cmd := namedlockCommand(w.T, "run", w.name, "--", "env")
		cmd.Env = append(cmd.Env, storeVariable+"="+w.store)
		if got := finish(w.T, cmd); !strings.Contains(got.out, storeVariable+"="+w.store+"\n") {
			w.Errorf("the user's own environment is gone: %s", got.out)
		}
	})
}

func TestAHundredMegabytesComeThroughUnharmed(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	const size = 100 << 20
	noise := func() io.Reader { return io.LimitReader(rand.NewChaCha8([32]byte{}), size) }
	sent, received := sha256.New(), sha256.New()
	_, _ = io.Copy(sent, noise())
	cmd := namedlockCommand(t, w.under("cat")...)
	cmd.Stdin, cmd.Stdout = noise(), received
	finish(t, cmd).checkCode(t, 0)
	if !bytes.Equal(sent.Sum(nil), received.Sum(nil)) {
		t.Error("what went in is not what came out")
	}
}
