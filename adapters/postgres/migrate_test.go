package postgres_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

func TestTwentyMigratorsOfOneEmptyDatabaseAllSucceed(t *testing.T) {
	watch, migrator := connect(t), rand.Text()
	for range 10 {
		schema := "race_" + strings.ToLower(rand.Text())
		t.Cleanup(func() { dropSchema(t, schema) })
		var migrators []<-chan error
		for range 20 {
			pool := openPool(t, "pool_max_conns=1", "application_name="+migrator)
			migrators = append(migrators, call(func() error { return postgres.Migrate(context.Background(), pool, schema) }))
		}
		for _, answer := range migrators {
			if err := <-answer; err != nil {
				t.Error(err)
			}
		}
		if versions := ask[int](t, watch, "SELECT count(*) FROM "+pgx.Identifier{schema, "migrations"}.Sanitize()); versions != 1 {
			t.Errorf("%d versions are recorded, want 1", versions)
		}
	}
	const left = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND application_name = $1"
	if left := ask[int](t, watch, left, migrator); left != 0 {
		t.Errorf("%d advisory locks are left behind", left)
	}
}

func TestARoleThatMayNotMakeTablesRunsOnThoseThatAreThere(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	role, quoted := strings.ToLower("role_"+rand.Text()), pgx.Identifier{schema}.Sanitize()
	must(t, admin, "CREATE ROLE "+role+" LOGIN PASSWORD 'x'")
	t.Cleanup(func() {
		cleaner := connect(t)
		must(t, cleaner, "DROP OWNED BY "+role)
		must(t, cleaner, "DROP ROLE "+role)
	})
	must(t, admin, "GRANT USAGE ON SCHEMA "+quoted+" TO "+role)
	must(t, admin, "GRANT SELECT, INSERT, UPDATE, DELETE ON "+table(schema)+" TO "+role)
	must(t, admin, "GRANT SELECT ON "+quoted+".migrations TO "+role)
	must(t, admin, "GRANT USAGE ON SEQUENCE "+quoted+".tokens TO "+role)

	address, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(role, "x")
	repo, err := postgres.Open(t.Context(), address.String(), postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	lock := grant(t, namedlock.New(repo), "x", "A", time.Hour)
	if renewed, err := lock.Renew(t.Context(), time.Hour); !renewed || err != nil {
		t.Errorf("renew: %v, %v", renewed, err)
	}
	if released, err := lock.Release(t.Context()); !released || err != nil {
		t.Errorf("release: %v, %v", released, err)
	}
}

func TestASchemaThatSomebodyElseMadeIsUsed(t *testing.T) {
	admin := connect(t)
	role, schema := strings.ToLower("role_"+rand.Text()), strings.ToLower("given_"+rand.Text())
	must(t, admin, "CREATE ROLE "+role+" LOGIN PASSWORD 'x'")
	must(t, admin, "CREATE SCHEMA "+schema+" AUTHORIZATION "+role)
	t.Cleanup(func() {
		cleaner := connect(t)
		must(t, cleaner, "DROP OWNED BY "+role+" CASCADE")
		must(t, cleaner, "DROP ROLE "+role)
	})
	address, err := url.Parse(server(t))
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(role, "x")
	repo, err := postgres.Open(t.Context(), address.String(), postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	grant(t, namedlock.New(repo), "x", "A", time.Hour)
}

func TestASchemaOfANewerReleaseIsRefused(t *testing.T) {
	schema, admin := newSchema(t), connect(t)
	must(t, admin, "INSERT INTO "+pgx.Identifier{schema, "migrations"}.Sanitize()+" (version) VALUES (9999)")
	err := postgres.Migrate(t.Context(), openPool(t), schema)
	if !errors.Is(err, namedlock.ErrDatabase) || !strings.Contains(err.Error(), "9999") {
		t.Errorf("%v, want a refusal that names the version", err)
	}
}

func TestAMigratorThatIsCancelledLeavesNothing(t *testing.T) {
	schema, holder, watch := "cancelled_"+strings.ToLower(rand.Text()), connect(t), connect(t)
	t.Cleanup(func() { dropSchema(t, schema) })
	// Somebody else migrates just now, and stalls.
	must(t, holder, "BEGIN")
	must(t, holder, `SELECT pg_advisory_xact_lock(hashtextextended('"`+schema+`".migrations', 0))`)
	ctx, cancel := context.WithCancel(t.Context())
	pool := openPool(t, "application_name="+schema)
	cancelled := call(func() error { return postgres.Migrate(ctx, pool, schema) })
	untilWaiting(t, watch, schema, 1)
	cancel()
	if err := <-cancelled; !errors.Is(err, context.Canceled) || !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("%v, want the cancellation as an error of the store", err)
	}
	must(t, holder, "ROLLBACK")
	if err := postgres.Migrate(t.Context(), pool, schema); err != nil {
		t.Errorf("the next migrator: %v", err)
	}
}

func TestWithoutTablesAnErrorSaysWhatMakesThem(t *testing.T) {
	_, _, err := newLocker(t, openPool(t), "nowhere").TryLock(t.Context(), "x", "A", time.Hour)
	if !errors.Is(err, namedlock.ErrDatabase) || !strings.Contains(err.Error(), "Migrate") {
		t.Errorf("%v, want an error that names Migrate", err)
	}
}

func TestTablesThatAreMadeAnewUnderAWarmClientAreUsed(t *testing.T) {
	schema, admin, pool := newSchema(t), connect(t), openPool(t)
	locker := newLocker(t, pool, schema)
	lost := grant(t, locker, "x", "A", time.Hour)
	must(t, admin, "ALTER TABLE "+table(schema)+" ADD COLUMN note text")
	if renewed, err := lost.Renew(t.Context(), time.Hour); !renewed || err != nil {
		t.Errorf("renew after ADD COLUMN: %v, %v", renewed, err)
	}
	must(t, admin, "TRUNCATE "+table(schema))
	if renewed, err := lost.Renew(t.Context(), time.Hour); renewed || err != nil {
		t.Errorf("renew of a row that is gone: %v, %v", renewed, err)
	}
	grant(t, locker, "x", "B", time.Hour)
	must(t, admin, "DROP SCHEMA "+pgx.Identifier{schema}.Sanitize()+" CASCADE")
	if err := postgres.Migrate(t.Context(), pool, schema); err != nil {
		t.Fatal(err)
	}
	grant(t, locker, "x", "C", time.Hour)
}
