//go:build !cgo

package sqlite

// isBusy never holds: without cgo the driver is a stub, whose every call fails with its own explanation.
func isBusy(error) bool { return false }

// isStale never holds either.
func isStale(error) bool { return false }
