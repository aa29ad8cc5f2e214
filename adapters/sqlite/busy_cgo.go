//go:build cgo

package sqlite

import (
	"errors"

	"github.com/mattn/go-sqlite3"
)

// isBusy reports whether the database was busy with somebody else, so that trying again is the answer: a writer, a
// recovery, a table lock of a shared cache, or a start of the log that others began at the same moment.
func isBusy(err error) bool {
	var fault sqlite3.Error
	if !errors.As(err, &fault) {
		return false
	}
	return fault.Code == sqlite3.ErrBusy || fault.Code == sqlite3.ErrLocked || fault.Code == sqlite3.ErrProtocol
}

// isStale reports whether a transaction has read an older state of the database than the one that it would have to write
// to. Trying again in that transaction does not help.
func isStale(err error) bool {
	var fault sqlite3.Error
	return errors.As(err, &fault) && fault.ExtendedCode == sqlite3.ErrBusySnapshot
}
