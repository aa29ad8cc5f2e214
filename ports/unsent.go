package ports

import (
	"errors"
	"fmt"

	"github.com/alkstore/namedlock/domain"
)

// ErrUnsent is in the chain of an error when it is certain that the store was never asked, so that there is nothing to
// withdraw: the context had ended, no connection could be had. An adapter that cannot be certain leaves it out.
var ErrUnsent = errors.New("not asked")

// Unsent makes cause an [domain.ErrDatabase] that says that the store was never asked.
func Unsent(cause error) error {
	return domain.DatabaseError(fmt.Errorf("%w: %w", ErrUnsent, cause))
}
