package process

import (
	"os"
	"syscall"
)

// Caught returns the signals that do not end us while the command runs.
func Caught() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
