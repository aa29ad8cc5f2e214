package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alkstore/namedlock/adapters/postgres"
)

func TestInspectTellsOfAServerAndItsSchema(t *testing.T) {
	schema := newSchema(t)
	conn := connect(t)
	must(t, conn, `DROP SCHEMA IF EXISTS "`+schema+`" CASCADE`)
	config := postgres.Config{Schema: schema}
	bare, err := postgres.Inspect(t.Context(), server(t), config)
	if err != nil || bare.Applied != 0 || bare.Known != 1 {
		t.Errorf("a database without tables is %+v, %v", bare, err)
	}
	if err := postgres.Migrate(t.Context(), openPool(t), schema); err != nil {
		t.Fatal(err)
	}
	ready, err := postgres.Inspect(t.Context(), server(t), config)
	if err != nil || ready.Applied != 1 || ready.Encoding != "UTF8" || ready.Version == "" || ready.ReadOnly || ready.Pooler {
		t.Errorf("a database with tables is %+v, %v", ready, err)
	}
	if ready.Uncertainty <= 0 || ready.Ahead.Abs() > ready.Uncertainty+time.Second {
		t.Errorf("on the same machine the clocks are %v ± %v apart", ready.Ahead, ready.Uncertainty)
	}
}

func TestInspectTellsOfAPoolerAndOfWhatIsReadOnly(t *testing.T) {
	p, url := newProxy(t)
	p.mu.Lock()
	p.disguised = true
	p.mu.Unlock()
	found, err := postgres.Inspect(t.Context(), url, postgres.Config{})
	if err != nil || !found.Pooler {
		t.Errorf("behind a pooler: %+v, %v", found, err)
	}
	found, err = postgres.Inspect(t.Context(), server(t, "default_transaction_read_only=on"), postgres.Config{})
	if err != nil || !found.ReadOnly || found.Pooler {
		t.Errorf("read-only by default: %+v, %v", found, err)
	}
}

func TestInspectRefusesWhatCannotBeReached(t *testing.T) {
	for _, url := range []string{"postgres://me:sec%ret@host name/db", "postgres://me:secret@127.0.0.1:1/db?sslmode=disable"} {
		_, err := postgres.Inspect(t.Context(), url, postgres.Config{})
		if err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := postgres.Inspect(t.Context(), server(t), postgres.Config{Schema: `a"b`}); err == nil {
		t.Error("a schema name that cannot be one is taken")
	}
}
