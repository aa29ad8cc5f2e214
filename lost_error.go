package namedlock

import (
	"errors"
	"fmt"
)

// Why a lock that was kept is lost: the reasons of a [LostError], told apart by errors.Is. ErrClosed is another.
var (
	// ErrLapsed: the lock was not renewed in time, mostly because the store could not be reached. What the store said last
	// is further down the chain.
	ErrLapsed = errors.New("it was not renewed in time")

	// ErrTaken: the store says that the grant is over, although its time was not up: somebody broke it, or released it by
	// another handle of the same owner.
	ErrTaken = errors.New("it was taken or broken by somebody else")

	// ErrMaxHold: it was held for as long as [AtMost] allows.
	ErrMaxHold = errors.New("it was held for as long as it may be")

	// ErrReleased: it was released by this very handle while it was kept.
	ErrReleased = errors.New("it was released")
)

// LostError is the cause of the end of a context that depends on a lock: from now on somebody else can have it, or will
// soon.
type LostError struct {
	// Name and Token say which grant is lost.
	Name  string
	Token Token
	// Reason is why: one that is ErrLapsed, ErrTaken, ErrMaxHold, ErrReleased or ErrClosed.
	Reason error
}

// Error says what was lost, and why.
func (e *LostError) Error() string {
	return fmt.Sprintf("namedlock: lost %q, token %d: %v", e.Name, e.Token, e.Reason)
}

// Unwrap returns the reason.
func (e *LostError) Unwrap() error { return e.Reason }

// lost returns the loss of the handle's grant.
func (k *Lock) lost(reason error) *LostError {
	return &LostError{Name: k.Name(), Token: k.Token(), Reason: reason}
}
