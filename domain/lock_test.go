package domain_test

import (
	"testing"

	"github.com/alkstore/namedlock/domain"
)

func TestRestoreKeepsWhatItIsGiven(t *testing.T) {
	lock := standing()
	if !lock.Exists() {
		t.Error("a restored row does not exist")
	}
	if lock.Grant() != anns || lock.Name() != report || lock.Owner() != ann || lock.Token() != 7 {
		t.Errorf("got grant %+v, name %v, owner %v, token %d", lock.Grant(), lock.Name(), lock.Owner(), lock.Token())
	}
	if lock.Claim() != 70 || lock.AcquiredAt() != took || lock.Deadline() != deadline {
		t.Errorf("got claim %d, acquired at %d, deadline %d", lock.Claim(), lock.AcquiredAt(), lock.Deadline())
	}
}

func TestRestoreJudgesNothing(t *testing.T) {
	grant := domain.Grant{Name: domain.RestoreName("namedlock:\x00"), Owner: domain.RestoreOwner(""), Token: -1}
	lock := domain.Restore(grant, 0, last, first)
	if !lock.Exists() || lock.Grant() != grant {
		t.Errorf("got %+v, want the row as it was stored", lock)
	}
}

func TestTheZeroLockIsNoRow(t *testing.T) {
	if (domain.Lock{}).Exists() {
		t.Error("the zero Lock exists")
	}
}
