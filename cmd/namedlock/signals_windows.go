package main

import (
	"os"
	"syscall"
)

// caught returns the signals that do not end us while the command runs.
func caught() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// forward does nothing: the console tells the command by itself.
func forward(*os.Process, os.Signal) {}

// terminate ends a process, which on Windows cannot be asked.
func terminate(process *os.Process) { _ = process.Kill() }
