//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

// patience ends a test that hangs.
const patience = 2 * time.Minute

// world is where one test runs: a store, and a lock name that nobody else uses.
type world struct {
	*testing.T
	store string
	name  string
}

// onEachStore runs a test on a fresh SQLite file and on the Postgres database in PGURL.
func onEachStore(t *testing.T, test func(w world)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(sqliteWorld(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := os.Getenv("PGURL")
		if url == "" {
			t.Fatal("PGURL is not set: run `make test`, which starts a server")
		}
		test(world{t, url, t.Name() + "/" + rand.Text()})
	})
}

func sqliteWorld(t *testing.T) world {
	return world{t, "sqlite:" + filepath.Join(t.TempDir(), "locks.db"), t.Name() + "/" + rand.Text()}
}

// under returns the arguments that run a command under the world's lock.
func (w world) under(command ...string) []string {
	return w.withTTL("1m", command...)
}

func (w world) withTTL(ttl string, command ...string) []string {
	return append([]string{"run", w.name, "--store", w.store, "--ttl", ttl, "--"}, command...)
}

// locker returns the library on the world's store.
func (w world) locker() *namedlock.Locker {
	w.Helper()
	chosen, err := parseStore("the test", w.store)
	if err != nil {
		w.Fatal(err)
	}
	locker, closeStore, err := chosen.open(w.Context(), nil)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(closeStore)
	return locker
}

// entry returns what the store knows of the lock, and whether there is something.
func (w world) entry(locker *namedlock.Locker) (namedlock.Entry, bool) {
	w.Helper()
	entry, found, err := locker.Find(w.Context(), w.name)
	if err != nil {
		w.Fatal(err)
	}
	return entry, found
}

// checkReleased fails unless the name is free again and its row is gone.
func (w world) checkReleased() {
	w.Helper()
	if entry, found := w.entry(w.locker()); found {
		w.Errorf("the lock was not released: %+v", entry)
	}
}

// breakLock ends the grant that stands.
func (w world) breakLock(locker *namedlock.Locker) {
	w.Helper()
	entry, _ := w.entry(locker)
	if broken, err := locker.Break(w.Context(), w.name, entry.Token); !broken || err != nil {
		w.Fatal(broken, err)
	}
}

// result is how the command ended and what it said.
type result struct {
	code     int
	out, err string
}

// run runs the command to its end, without an input.
func run(t *testing.T, args ...string) result {
	t.Helper()
	return finish(t, namedlockCommand(t, args...))
}

// finish runs a prepared command to its end.
func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var out, words bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &words
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{process.CodeOf(cmd.ProcessState), out.String(), words.String()}
}

// namedlockCommand prepares the command, without a terminal, and in an environment that says nothing about stores. A test
// that hangs ends it, and it says where it was.
func namedlockCommand(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, built, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGABRT) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "NAMEDLOCK_") || strings.HasPrefix(variable, "XDG_") || strings.HasPrefix(variable, "PGURL=")
	})
	cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0") // the race detector would wait for a second at each exit
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// executable returns the path of this test binary, which plays the commands that are run.
func executable(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// running is a command at work. Its input stays open until the test ends it.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.Closer
	out   *bufio.Reader
	words *said
}

// said is what a command says, also while it runs.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// begin starts the command.
func begin(t *testing.T, args ...string) running {
	t.Helper()
	return launch(t, namedlockCommand(t, args...))
}

// launch starts a prepared command.
func launch(t *testing.T, cmd *exec.Cmd) running {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	return launchWith(t, cmd, in)
}

// launchWith starts a prepared command that has an input already.
func launchWith(t *testing.T, cmd *exec.Cmd, in io.Closer) running {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r := running{t: t, cmd: cmd, in: in, out: bufio.NewReader(out), words: new(said)}
	cmd.Stderr = r.words
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	return r
}

// line returns the next line of output.
func (r running) line() string {
	r.t.Helper()
	line, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("no more lines after %q: %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

// expect fails unless the next lines of output are these.
func (r running) expect(lines ...string) {
	r.t.Helper()
	for _, want := range lines {
		if got := r.line(); got != want {
			r.t.Fatalf("the command printed %q, want %q", got, want)
		}
	}
}

// signal sends a signal to namedlock alone.
func (r running) signal(sig syscall.Signal) {
	r.t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil {
		r.t.Fatal(err)
	}
}

// end ends the input and returns how the command ended.
func (r running) end() result {
	r.t.Helper()
	_ = r.in.Close()
	rest, err := io.ReadAll(r.out)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = r.cmd.Wait()
	return result{process.CodeOf(r.cmd.ProcessState), string(rest), r.words.String()}
}

// checkFailure fails unless the command ended with the code and said one line of its own that holds the words.
func (r result) checkFailure(t *testing.T, code int, words ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; it said %q", r.code, code, r.err)
	}
	if !strings.HasPrefix(r.err, "namedlock: ") || strings.Index(r.err, "\n") != len(r.err)-1 {
		t.Errorf("it said %q, want one line that begins with namedlock:", r.err)
	}
	for _, want := range words {
		if !strings.Contains(r.err, want) {
			t.Errorf("it said %q, want %q in it", r.err, want)
		}
	}
}

// checkCode fails unless the command ended with the code and namedlock said nothing.
func (r result) checkCode(t *testing.T, code int) {
	t.Helper()
	if r.code != code || r.err != "" {
		t.Errorf("exit code %d, and it said %q; want %d without a word", r.code, r.err, code)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came to be that " + what)
		}
	}
}
