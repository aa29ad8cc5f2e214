package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

func TestASchemaNameThatCannotBeOneIsRefused(t *testing.T) {
	pool := openPool(t)
	long := strings.Repeat("a", 63)
	for what, schema := range map[string]string{
		"a double quote": `a";drop table x;--`,
		"a single quote": "a'b",
		"a dot":          "a.b",
		"a backslash":    `a\b`,
		"a NUL":          "a\x00b",
		"broken UTF-8":   "a\xff",
		"64 bytes":       long + "b",
		"64 bytes of ü":  strings.Repeat("ü", 32),
	} {
		t.Run(what, func(t *testing.T) {
			_, err := postgres.New(pool, postgres.Config{Schema: schema})
			if !errors.Is(err, namedlock.ErrDatabase) {
				t.Errorf("New: %v, want an error of the store", err)
			}
			if err := postgres.Migrate(t.Context(), pool, schema); !errors.Is(err, namedlock.ErrDatabase) {
				t.Errorf("Migrate: %v, want an error of the store", err)
			}
			if err := pool.Ping(t.Context()); err != nil {
				t.Errorf("M10 the pool no longer works: %v", err)
			}
		})
	}
}

func TestASchemaNameIsAnIdentifier(t *testing.T) {
	for _, schema := range []string{"Ümlaut", "SELECT", "with blank", "$1; drop", strings.Repeat("s", 63), strings.Repeat("s", 62)} {
		t.Run(schema, func(t *testing.T) {
			pool := openPool(t)
			t.Cleanup(func() { dropSchema(t, schema) })
			if err := postgres.Migrate(t.Context(), pool, schema); err != nil {
				t.Fatal(err)
			}
			grant(t, newLocker(t, pool, schema), "x", "only one in each schema", time.Hour)
		})
	}
}

func TestTwoSchemasInOneDatabaseDoNotMeet(t *testing.T) {
	pool := openPool(t)
	one, other := newLocker(t, pool, newSchema(t)), newLocker(t, pool, newSchema(t))
	grant(t, one, "x", "A", time.Hour)
	grant(t, other, "x", "B", time.Hour)
}

func TestANilPoolIsRefused(t *testing.T) {
	if _, err := postgres.New(nil, postgres.Config{}); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("New: %v", err)
	}
	if err := postgres.Migrate(t.Context(), nil, ""); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("Migrate: %v", err)
	}
}

// The schema repeats the domain's limits, so that no other writer can put in what the domain would refuse.
func TestTheTableRefusesWhatTheDomainRefuses(t *testing.T) {
	schema, foreign := newSchema(t), connect(t)
	insert := "INSERT INTO " + table(schema) + " (name, owner, token, claim, acquired_at, deadline) VALUES ($1, $2, $3, 1, now(), $4)"
	for what, row := range map[string][]any{
		"an empty name":       {"", "A", 1, "now"},
		"a long name":         {strings.Repeat("é", 128), "A", 1, "now"},
		"a reserved name":     {"namedlock:x", "A", 1, "now"},
		"an empty owner":      {"x", "", 1, "now"},
		"a long owner":        {"x", strings.Repeat("a", 256), 1, "now"},
		"token 0":             {"x", "A", 0, "now"},
		"no deadline":         {"x", "A", 1, nil},
		"an endless deadline": {"x", "A", 1, "infinity"},
	} {
		if _, err := foreign.Exec(t.Context(), insert, row...); !isViolation(err) {
			t.Errorf("%s: %v, want a violated constraint", what, err)
		}
	}
	for r := range rune(0x3100) {
		if blank := string(r); r != 0 && strings.TrimSpace(blank) == "" {
			_, asName := foreign.Exec(t.Context(), insert, blank, "A", 1, "now")
			_, asOwner := foreign.Exec(t.Context(), insert, "x", blank, 1, "now")
			if !isViolation(asName) || !isViolation(asOwner) {
				t.Errorf("the blank %U: as a name %v, as an owner %v", r, asName, asOwner)
			}
		}
	}
	must(t, foreign, insert, strings.Repeat("é", 127), "NAMEDLOCK:", 1, "now")
}

// isViolation reports whether a constraint was violated.
func isViolation(err error) bool {
	var fault *pgconn.PgError
	return errors.As(err, &fault) && strings.HasPrefix(fault.Code, "23")
}

func TestAnErrorHoldsNoPassword(t *testing.T) {
	for _, url := range []string{
		"postgres://user:s3cret@127.0.0.1:1/db",
		"postgres://user:s3cret@host:port/db",
		"postgres://user:s3cret@ho st/db",
		"host=127.0.0.1 port=1 password=s3cret user=u",
		"host=127.0.0.1 port=x password=s3cret",
		"postgres://user:s3cret@127.0.0.1/db?pool_max_conns=x",
		"s3cret",
	} {
		_, err := postgres.Open(t.Context(), url, postgres.Config{})
		if !errors.Is(err, namedlock.ErrDatabase) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v", err)
		}
	}
}

func TestM10OpenClosesItsPoolAndNewDoesNot(t *testing.T) {
	schema := newSchema(t)
	opened, err := postgres.Open(t.Context(), server(t), postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	grant(t, namedlock.New(opened), "x", "A", time.Hour)
	if err := errors.Join(opened.Close(), opened.Close()); err != nil {
		t.Error(err)
	}

	pool := openPool(t)
	if err := newLocker(t, pool, schema).Close(); err != nil {
		t.Error(err)
	}
	assertWorks(t, pool)
}

func assertWorks(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	if err := pool.Ping(t.Context()); err != nil {
		t.Errorf("the caller's pool no longer works: %v", err)
	}
}
