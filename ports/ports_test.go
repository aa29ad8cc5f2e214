package ports_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

func TestNoEffectSaysSoAndKeepsTheCause(t *testing.T) {
	for _, cause := range []error{context.Canceled, errors.New("refused"), domain.ErrClosed, domain.DatabaseError(context.DeadlineExceeded)} {
		err := ports.NoEffect(cause)
		for _, kind := range []error{ports.ErrNoEffect, domain.ErrDatabase, cause} {
			if !errors.Is(err, kind) {
				t.Errorf("%v is not %q", err, kind)
			}
		}
	}
}

func TestNoEffectOfNothingIsNothing(t *testing.T) {
	if err := ports.NoEffect(nil); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestNoEffectWrapsOnce(t *testing.T) {
	once := fmt.Errorf("acquire: %w", ports.NoEffect(context.Canceled))
	if twice := ports.NoEffect(once); twice != once { //nolint:errorlint // the very same error is promised
		t.Errorf("%v became %v", once, twice)
	}
}

// Other errors may leave the outcome open.
func TestNothingElseIsWithoutEffect(t *testing.T) {
	for _, err := range []error{domain.ErrDatabase, domain.ErrClosed, domain.DatabaseError(context.Canceled)} {
		if errors.Is(err, ports.ErrNoEffect) {
			t.Errorf("%v is said to be without effect", err)
		}
	}
}

func TestTheSystemClockTellsTheTimeOfThisMachine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		if got := (ports.SystemClock{}).Now(); !got.Equal(time.Now()) {
			t.Errorf("got %v, want %v", got, time.Now())
		}
	})
}
