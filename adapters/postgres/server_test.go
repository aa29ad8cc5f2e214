package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
)

// server returns the connection string of the Postgres that the tests run on, with parameters added. Without one they
// fail: a store that is not tested must not look tested.
func server(t testing.TB, parameters ...string) string {
	t.Helper()
	url := os.Getenv("PGURL")
	if url == "" {
		t.Fatal("no Postgres: run `make test`, or give PGURL, or leave this package out")
	}
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	for _, parameter := range parameters {
		url += separator + parameter
		separator = "&"
	}
	return url
}

// openPool returns a pool on the server, with parameters added to its connection string.
func openPool(t testing.TB, parameters ...string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), server(t, parameters...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// newSchema makes a schema of namedlock that nobody else uses, and returns its name.
func newSchema(t testing.TB) string {
	t.Helper()
	pool := openPool(t)
	schema := "test_" + strings.ToLower(rand.Text())
	if err := postgres.Migrate(t.Context(), pool, schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dropSchema(t, schema) })
	return schema
}

// dropSchema removes a schema and all that is in it.
func dropSchema(t testing.TB, schema string) {
	t.Helper()
	admin := connect(t)
	must(t, admin, "DROP SCHEMA IF EXISTS "+pgx.Identifier{schema}.Sanitize()+" CASCADE")
}

// connect returns a foreign session: one that has nothing to do with the library.
func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, server(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(ctx) })
	return conn
}

// must runs a statement of a foreign session.
func must(t testing.TB, conn *pgx.Conn, statement string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// ask returns the one value that a statement of a foreign session gives.
func ask[T any](t testing.TB, conn *pgx.Conn, statement string, args ...any) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(context.Background(), statement, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

// newLocker returns a locker on the pool in the schema, by the server's clock.
func newLocker(t testing.TB, pool *pgxpool.Pool, schema string) *namedlock.Locker {
	t.Helper()
	repo, err := postgres.New(pool, postgres.Config{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	locker := namedlock.New(repo)
	t.Cleanup(func() { _ = locker.Close() })
	return locker
}

// grant takes a lock that must be free.
func grant(t testing.TB, locker *namedlock.Locker, name, owner string, ttl time.Duration) *namedlock.Lock {
	t.Helper()
	lock, incumbent, err := locker.TryLock(t.Context(), name, owner, ttl)
	if err != nil || incumbent != nil {
		t.Fatalf("try %s for %s: incumbent %+v, error %v", name, owner, incumbent, err)
	}
	return lock
}

// until asks a foreign session again and again until a condition holds: an event of the server, such as a session that
// waits for a lock.
func until(t testing.TB, conn *pgx.Conn, condition string, args ...any) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ask[bool](t, conn, condition, args...); {
		if time.Now().After(deadline) {
			t.Fatalf("it never came: %s", condition)
		}
	}
}

// untilWaiting waits until as many sessions of the application wait for a lock.
func untilWaiting(t testing.TB, conn *pgx.Conn, application string, sessions int) {
	t.Helper()
	until(t, conn, "SELECT count(*) = $2 FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'", application, sessions)
}

// call runs work in the background and returns a channel with its result.
func call[T any](work func() T) <-chan T {
	result := make(chan T, 1)
	go func() { result <- work() }()
	return result
}

// table returns the quoted name of a schema's table of locks.
func table(schema string) string { return fmt.Sprintf("%q.locks", schema) }
