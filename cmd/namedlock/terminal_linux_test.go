package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWhatIsTypedAtATerminalArrivesOnce(t *testing.T) {
	t.Parallel()
	keyboard, terminal := openTerminal(t)
	w := sqliteWorld(t)
	r := launchWith(t, atTerminal(namedlockCommand(t, w.under(executable(t), beReporter)...), terminal), terminal)
	r.expect("ready")
	for key, sig := range map[string]syscall.Signal{"\x03": syscall.SIGINT, "\x1c": syscall.SIGQUIT} {
		typeKeys(t, keyboard, key)
		r.expect(sig.String())
		// What is sent later is passed on later: had the key been passed on, it would show before this.
		r.signal(syscall.SIGUSR1)
		r.expect(syscall.SIGUSR1.String())
	}
	r.signal(syscall.SIGTERM) // nobody types that
	r.expect(syscall.SIGTERM.String())
	typeKeys(t, keyboard, "\x04")
	r.end().checkCode(t, 5)
}

func TestTheCommandReadsTheTerminal(t *testing.T) {
	t.Parallel()
	keyboard, terminal := openTerminal(t)
	w := sqliteWorld(t)
	script := `echo ready; read line </dev/tty; echo "$line"; read line; echo "$line"`
	r := launchWith(t, atTerminal(namedlockCommand(t, w.under("sh", "-c", script)...), terminal), terminal)
	r.expect("ready")
	typeKeys(t, keyboard, "to the terminal\nto the input\n")
	r.expect("to the terminal", "to the input")
	r.end().checkCode(t, 0)
}

// atTerminal prepares the command as the only one at a terminal of its own.
func atTerminal(cmd *exec.Cmd, terminal *os.File) *exec.Cmd {
	cmd.Stdin = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return cmd
}

func TestAHangupArrivesOnce(t *testing.T) {
	for title, first := range map[string][]string{
		"we were started first at the terminal": {"sh", "-c", `exec "$0" "$@"`},
		"a shell was":                           {"sh", "-c", `"$0" "$@"; exit $?`},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			keyboard, terminal := openTerminal(t)
			w := sqliteWorld(t)
			in, end, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			cmd := namedlockCommand(t)
			cmd.Path = "/bin/sh"
			// The program's own input outlives the terminal.
			inner := w.under("sh", "-c", `exec "$0" "$1" <&3`, executable(t), beReporter)
			cmd.Args = append(append(first, built), inner...)
			cmd.ExtraFiles = []*os.File{in}
			r := launchWith(t, atTerminal(cmd, terminal), end)
			r.expect("ready")
			_, _ = terminal.Close(), keyboard.Close()
			r.expect(syscall.SIGHUP.String())
			_ = end.Close()
			if rest, err := io.ReadAll(r.out); string(rest) != "" {
				t.Errorf("after the hangup came %q, %v", rest, err)
			}
			_ = cmd.Wait()
			locker := w.locker()
			eventually(t, "the lock is released", func() bool {
				_, found := w.entry(locker)
				return !found
			})
		})
	}
}

func TestAtATerminalTheFamilyEndsAndStrangersDoNot(t *testing.T) {
	for title, script := range map[string]string{
		"it ends by itself": fmt.Sprintf(family, "exit 3"),
		"the lock is lost":  fmt.Sprintf(family, "sleep 1000"),
	} {
		t.Run(title, func(t *testing.T) {
			onEachStore(t, func(w world) {
				_, terminal := openTerminal(w.T)
				cmd := namedlockCommand(w.T)
				before := `(trap "" HUP; exec sleep 1000) & echo $!; exec "$0" "$@"`
				cmd.Path = "/bin/sh"
				cmd.Args = append([]string{"sh", "-c", before, built}, w.with("--ttl 3s --grace 300ms", "sh", "-c", script)...)
				r := launchWith(w.T, atTerminal(cmd, terminal), terminal)
				stranger, pids := r.pids(1)[0], r.pids(3)
				defer func() { _ = syscall.Kill(stranger, syscall.SIGKILL) }()
				if strings.HasSuffix(script, "1000") {
					w.breakLock(w.locker())
				}
				_, _ = r.cmd.Process.Wait()
				checkGone(w.T, pids...)
				if !lives(stranger) {
					w.Error("what was there before was ended too")
				}
			})
		})
	}
}

func typeKeys(t *testing.T, keyboard *os.File, keys string) {
	t.Helper()
	if _, err := keyboard.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// openTerminal returns both ends of a pseudo-terminal.
func openTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { _ = keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return keyboard, terminal
}
