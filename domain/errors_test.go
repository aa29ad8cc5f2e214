package domain_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/alkstore/namedlock/domain"
)

func TestTheThreeKindsAreApart(t *testing.T) {
	kinds := []error{domain.ErrInvalidName, domain.ErrReservedName, domain.ErrDatabase}
	for i, a := range kinds {
		for j, b := range kinds {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("%q is %q: %v", a, b, i != j)
			}
		}
	}
}

func TestTheDetailsAreBelowErrDatabase(t *testing.T) {
	for _, detail := range []error{domain.ErrInvalidTTL, domain.ErrClosed} {
		if !errors.Is(detail, domain.ErrDatabase) {
			t.Errorf("%q is no ErrDatabase", detail)
		}
	}
	if errors.Is(domain.ErrInvalidTTL, domain.ErrClosed) || errors.Is(domain.ErrClosed, domain.ErrInvalidTTL) {
		t.Error("ErrInvalidTTL and ErrClosed are not apart")
	}
	if errors.Is(domain.ErrDatabase, domain.ErrClosed) || errors.Is(domain.ErrDatabase, domain.ErrInvalidTTL) {
		t.Error("every ErrDatabase is a detail")
	}
}

func TestDatabaseErrorOfNothingIsNothing(t *testing.T) {
	if err := domain.DatabaseError(nil); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestDatabaseErrorKeepsTheCause(t *testing.T) {
	cause := &driverError{code: 5}
	err := domain.DatabaseError(fmt.Errorf("query: %w", cause))
	if !errors.Is(err, domain.ErrDatabase) {
		t.Errorf("%v is no ErrDatabase", err)
	}
	var found *driverError
	if !errors.As(err, &found) || found != cause {
		t.Errorf("in %v the driver's error is %v", err, found)
	}
	mentions(t, err, "store failed", "query: driver says 5")
}

func TestDatabaseErrorOfAContextThatEnded(t *testing.T) {
	for _, cause := range []error{context.Canceled, context.DeadlineExceeded} {
		if err := domain.DatabaseError(cause); !errors.Is(err, domain.ErrDatabase) || !errors.Is(err, cause) {
			t.Errorf("%v is not both an ErrDatabase and %v", err, cause)
		}
	}
}

func TestDatabaseErrorWrapsOnce(t *testing.T) {
	wrapped := domain.DatabaseError(errors.New("down"))
	for _, err := range []error{domain.ErrDatabase, domain.ErrClosed, wrapped, fmt.Errorf("again: %w", wrapped)} {
		if got := domain.DatabaseError(err); got != err { //nolint:errorlint // the very same error is promised
			t.Errorf("%v became %v", err, got)
		}
	}
}

type driverError struct{ code int }

func (e *driverError) Error() string { return fmt.Sprintf("driver says %d", e.code) }
