package ports

import (
	"errors"
	"fmt"

	"github.com/alkstore/namedlock/domain"
)

// ErrNoEffect is in the chain of an error when it is certain that the call changed nothing and will not, so that there is
// nothing to withdraw: the context had ended before, no connection could be had, the store said no. An adapter that cannot
// be certain leaves it out.
var ErrNoEffect = errors.New("nothing was changed")

// NoEffect makes cause an [domain.ErrDatabase] which says that the call changed nothing. A nil error stays nil.
func NoEffect(cause error) error {
	if cause == nil || errors.Is(cause, ErrNoEffect) {
		return cause
	}
	return domain.DatabaseError(fmt.Errorf("%w: %w", ErrNoEffect, cause))
}
