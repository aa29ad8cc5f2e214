package postgres_test

import (
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// renewal returns the wish to renew a lock for an hour.
func renewal(lock *namedlock.Lock) ports.Renewal {
	ttl, _ := domain.NewTTL(time.Hour)
	return ports.Renewal{
		Grant: domain.Grant{Name: domain.RestoreName(lock.Name()), Owner: domain.RestoreOwner(lock.Owner()), Token: lock.Token()},
		TTL:   ttl,
	}
}

func TestARowThatSomebodyIsBusyWithHoldsUpNoOther(t *testing.T) {
	for what, statement := range foreigners {
		t.Run("behind a session that "+what, func(t *testing.T) {
			schema := newSchema(t)
			pool := openPool(t)
			locker := newLocker(t, pool, schema)
			repo, err := postgres.New(pool, postgres.Config{Schema: schema})
			if err != nil {
				t.Fatal(err)
			}
			var batch []ports.Renewal
			for _, name := range []string{"a", "x", "y"} {
				batch = append(batch, renewal(grant(t, locker, name, "A", time.Minute)))
			}
			free := busyWith(t, statement, schema)

			answers, err := repo.RenewBatch(t.Context(), batch)
			if err != nil || !answers[0].Verdict.Granted || !answers[1].Undecided || answers[1].Verdict.Granted || !answers[2].Verdict.Granted {
				t.Errorf("answered %+v, %v; want only x undecided", answers, err)
			}
			free()
			answers, err = repo.RenewBatch(t.Context(), batch)
			if err != nil || !answers[1].Verdict.Granted || answers[1].Undecided {
				t.Errorf("answered %+v, %v; want all granted", answers, err)
			}
		})
	}
}

func TestABatchIsOneRoundTrip(t *testing.T) {
	schema := newSchema(t)
	pool := openPool(t, "application_name="+schema)
	locker := newLocker(t, pool, schema)
	repo, err := postgres.New(pool, postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	var batch []ports.Renewal
	for i := range 500 {
		batch = append(batch, renewal(grant(t, locker, string(rune('一'+i)), "A", time.Minute)))
	}
	answers, err := repo.RenewBatch(t.Context(), batch)
	if err != nil || len(answers) != len(batch) {
		t.Fatal(len(answers), err)
	}
	for i, answer := range answers {
		if !answer.Verdict.Granted || answer.Verdict.Lock.Grant() != batch[i].Grant || answer.Verdict.At != answers[0].Verdict.At {
			t.Fatalf("answer %d is %+v", i, answer)
		}
	}
}
