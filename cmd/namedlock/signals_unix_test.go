//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/alkstore/namedlock/cmd/namedlock/internal/process"
)

func TestSignalsArePassedOn(t *testing.T) {
	onEachStore(t, func(w world) {
		r := begin(w.T, w.under(executable(w.T), beReporter)...)
		r.expect("ready")
		for _, sig := range []syscall.Signal{
			syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		} {
			r.signal(sig)
			r.expect(sig.String())
		}
		got := r.end()
		got.checkCode(w.T, 5)
		if got.out != "" {
			w.Errorf("the command got more: %q", got.out)
		}
		w.checkReleased()
	})
}

func TestACommandThatDiesOfASignalGives128AndItsNumber(t *testing.T) {
	onEachStore(t, func(w world) {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
			r := begin(w.T, w.under("sh", "-c", "echo ready; read line")...)
			r.expect("ready")
			r.signal(sig)
			_ = r.cmd.Wait()
			result{code: process.CodeOf(r.cmd.ProcessState), err: r.words.String()}.checkCode(w.T, 128+int(sig))
		}
		w.checkReleased()
	})
}

func TestASignalBeforeTheCommandStartsEndsUs(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	marker := filepath.Join(t.TempDir(), "started")
	r := begin(t, "run", "x", "--store", "postgres://me@"+silent.Addr().String()+"/db?sslmode=disable", "--", "touch", marker)
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r.signal(syscall.SIGTERM)
	r.end().checkCode(t, 128+15)
	checkMissing(t, marker)
}

func TestASignalThatWasIgnoredStaysIgnored(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	cmd := namedlockCommand(t, w.under(executable(t), beReporter)...)
	cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh"}, cmd.Args...)
	cmd.Path = "/bin/sh"
	r := launch(t, cmd)
	r.expect("ready")
	r.signal(syscall.SIGHUP)
	r.signal(syscall.SIGUSR1)
	r.expect(syscall.SIGUSR1.String())
	r.end().checkCode(t, 5)
}

func TestABrokenPipeIsNoReasonToDie(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	holder := begin(t, w.under("sh", "-c", "echo ready; read line; exit 3")...)
	holder.expect("ready")
	unread, broken, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = unread.Close()
	defer broken.Close()
	cmd := namedlockCommand(t, w.under("true")...)
	cmd.Stderr = broken
	finish(t, cmd).checkCode(t, codeHeld)
	holder.end().checkCode(t, 3)
}

func TestTheCommandDiesOfABrokenPipeAsWithoutUs(t *testing.T) {
	t.Parallel()
	w := sqliteWorld(t)
	got := run(t, w.under("sh", "-c", "kill -PIPE $$; echo survived")...)
	got.checkCode(t, 128+int(syscall.SIGPIPE))
}
