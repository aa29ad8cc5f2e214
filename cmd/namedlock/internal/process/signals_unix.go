//go:build unix

package process

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Caught returns the signals that are passed on. One that was ignored when we were started, as nohup does, stays ignored.
func Caught() []os.Signal {
	all := []os.Signal{
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
	}
	return slices.DeleteFunc(all, signal.Ignored)
}

// hasTerminal reports whether there is a terminal that can interrupt us.
func hasTerminal() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	_ = terminal.Close()
	return true
}

// reachesGroup reports whether a signal is one that our whole group gets by itself: what is typed to interrupt or quit, while
// we have the terminal, and a hangup, when the terminal is gone and we are not the one process that is told of it first.
// Nobody can tell such a signal from one that somebody sent to us alone.
func reachesGroup(sig os.Signal) bool {
	switch sig {
	case syscall.SIGINT, syscall.SIGQUIT:
		return inForeground()
	case syscall.SIGHUP:
		return !hasTerminal() && !leadsSession()
	}
	return false
}

// leadsSession reports whether we are what was started first at the terminal.
func leadsSession() bool {
	session, err := unix.Getsid(0)
	return err == nil && session == os.Getpid()
}

// inForeground reports whether our process group has the terminal.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
