//go:build unix

package process

import (
	"os"
	"syscall"
)

// CodeOf returns the code of a process that has ended, as a shell shows it.
func CodeOf(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
