package main

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWhatIsTypedAtATerminalArrivesOnce(t *testing.T) {
	t.Parallel()
	keyboard, terminal := openTerminal(t)
	w := sqliteWorld(t)
	cmd := namedlockCommand(t, w.under(executable(t), beReporter)...)
	cmd.Stdin = terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	r := launchWith(t, cmd, terminal)
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
