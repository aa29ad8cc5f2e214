package domain

import (
	"errors"
	"fmt"
)

// The kinds of error that a caller branches on, with errors.Is.
var (
	// ErrInvalidName is returned when a name or an owner is empty, all white space, longer than [MaxBytes], holds a NUL or
	// is not valid UTF-8 (L10, M5). Nothing was written.
	ErrInvalidName = errors.New("invalid name")

	// ErrReservedName is returned when a name begins with [ReservedPrefix] (L10, M5). Nothing was written.
	ErrReservedName = errors.New("reserved name")

	// ErrDatabase is returned when the store could not answer: it is down, read-only, closed, too slow for the context, or
	// was asked for something that cannot be stored (L2, L9, L11). It never means that the lock is held by somebody else.
	// The driver's own error, if there is one, is further down the chain.
	ErrDatabase = errors.New("store failed")

	// ErrOvertaken is returned by a guard when its grant is not live any more, or not the newest of its name (M2). It is no
	// ErrDatabase: the store has answered.
	ErrOvertaken = errors.New("the grant is over")
)

// The details below [ErrDatabase] that a caller may want to tell apart. Each of them is an ErrDatabase to errors.Is.
var (
	// ErrInvalidTTL is returned when a duration is zero or negative (L9). It was refused before the store was asked.
	ErrInvalidTTL = fmt.Errorf("%w: invalid duration", ErrDatabase)

	// ErrClosed is returned by every operation after Close (L11).
	ErrClosed = fmt.Errorf("%w: store is closed", ErrDatabase)
)

// DatabaseError makes an error of a driver, or of a context that ended, an [ErrDatabase] and keeps the cause in the
// chain. It is the one wrap that an adapter adds. A nil error stays nil, and what is an ErrDatabase already stays as it is.
func DatabaseError(cause error) error {
	if cause == nil || errors.Is(cause, ErrDatabase) {
		return cause
	}
	return fmt.Errorf("%w: %w", ErrDatabase, cause)
}
