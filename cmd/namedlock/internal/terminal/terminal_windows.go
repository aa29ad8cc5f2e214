// Package terminal tells whether a person reads along.
package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// Is reports whether the file is a console.
func Is(file any) bool {
	f, ok := file.(*os.File)
	if !ok {
		return false
	}
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}
