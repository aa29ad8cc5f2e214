//go:build unix

// Package terminal tells whether a person reads along.
package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// Is reports whether the file is a terminal.
func Is(file any) bool {
	f, ok := file.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
