//go:build unix

package main

import (
	"os"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// caught returns the signals that are passed on. One that was ignored when we were started, as nohup does, stays ignored.
func caught() []os.Signal {
	all := []os.Signal{
		syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
	}
	return slices.DeleteFunc(all, signal.Ignored)
}

// forward passes a signal on, unless the command has it already. A process that has ended needs none.
func forward(process *os.Process, sig os.Signal) {
	typed := sig == syscall.SIGINT || sig == syscall.SIGQUIT
	if typed && inForeground() {
		return
	}
	_ = process.Signal(sig)
}

// inForeground reports whether our process group, which is the command's too, has the terminal: what is typed there to
// interrupt or quit reaches the command by itself. Nobody can tell such a signal from one that somebody sent to us alone.
func inForeground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// terminate asks a process to end.
func terminate(process *os.Process) { _ = process.Signal(syscall.SIGTERM) }
