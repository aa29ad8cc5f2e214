//go:build unix && !linux

package process

import "syscall"

// attributes ask for nothing: here no system lets a command die with the process that started it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// adoptOrphans does nothing: here no process can be made the parent of what loses its own.
func adoptOrphans() {}

// groupLives believes what the signal told.
func groupLives(int) bool { return true }

// descendants finds nobody: of what shares our group only the command itself is known.
func descendants([]int) []int { return nil }
