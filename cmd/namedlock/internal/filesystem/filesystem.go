// Package filesystem tells whether a folder is on this machine.
package filesystem

// Kind is where a file system is.
type Kind int

// The kinds of file system.
const (
	// Unknown may be either.
	Unknown Kind = iota
	// Local is on this machine.
	Local
	// Network is on another.
	Network
)
