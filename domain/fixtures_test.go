package domain_test

import (
	"math"
	"testing"
	"time"

	"github.com/alkstore/namedlock/domain"
)

// The instants around which the rules are tried. One is a microsecond, the step of every store.
const (
	took     domain.Instant = 1_700_000_000_000_000
	deadline domain.Instant = took + 30_000_000
	first    domain.Instant = math.MinInt64
	last     domain.Instant = math.MaxInt64
)

var (
	report = domain.RestoreName("reports/nightly")
	other  = domain.RestoreName("reports/weekly")
	ann    = domain.RestoreOwner("ann")
	bob    = domain.RestoreOwner("bob")
	anns   = domain.Grant{Name: report, Owner: ann, Token: 7}
)

// standing returns ann's row: grant 7, made by claim 70, held until deadline.
func standing() domain.Lock { return domain.Restore(anns, 70, took, deadline) }

// until returns ann's row with another deadline.
func until(deadline domain.Instant) domain.Lock { return domain.Restore(anns, 70, took, deadline) }

func ttl(t *testing.T, d time.Duration) domain.TTL {
	t.Helper()
	window, err := domain.NewTTL(d)
	if err != nil {
		t.Fatalf("NewTTL(%v): %v", d, err)
	}
	return window
}

func age(t *testing.T, d time.Duration) domain.Age {
	t.Helper()
	a, err := domain.NewAge(d)
	if err != nil {
		t.Fatalf("NewAge(%v): %v", d, err)
	}
	return a
}
