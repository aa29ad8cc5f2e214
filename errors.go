package namedlock

import "github.com/alkstore/namedlock/domain"

// The kinds of error that a caller branches on, with errors.Is. That somebody else holds a lock is none of them.
var (
	// ErrInvalidName is returned when a name or an owner is empty, all white space, longer than 255 bytes, holds a NUL or
	// is not valid UTF-8 (L10, M5). Nothing was written.
	ErrInvalidName = domain.ErrInvalidName

	// ErrReservedName is returned when a name begins with "namedlock:" (L10, M5). Nothing was written.
	ErrReservedName = domain.ErrReservedName

	// ErrDatabase is returned when the store could not answer. It never means that the lock is held by somebody else (L2).
	// The driver's own error, or the context's, is further down the chain.
	ErrDatabase = domain.ErrDatabase

	// ErrOvertaken is returned by the guards of the SQL adapters when the grant is not live any more, or not the newest of
	// its name (M2): roll the transaction back. It is no ErrDatabase.
	ErrOvertaken = domain.ErrOvertaken

	// ErrInvalidTTL is returned when a duration is zero or negative (L9). It is an ErrDatabase too.
	ErrInvalidTTL = domain.ErrInvalidTTL

	// ErrClosed is returned by every operation after Close (L11). It is an ErrDatabase too.
	ErrClosed = domain.ErrClosed
)
