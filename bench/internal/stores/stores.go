// Package stores opens the stores that are measured.
package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/memory"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/ports"
)

// Place is where locks are kept; another process finds the same locks there, unless Kind is "memory".
type Place struct {
	// Kind is "memory", "sqlite" or "postgres".
	Kind string
	// At is the path of a file, or a schema in the database at PGURL.
	At string
}

// Fresh returns an empty place of the kind, which is gone after the benchmark.
func Fresh(b *testing.B, kind string) Place {
	b.Helper()
	place := Place{Kind: kind}
	switch kind {
	case "sqlite":
		place.At = filepath.Join(b.TempDir(), "locks.db")
	case "postgres":
		place.At = fmt.Sprintf("bench_%d", os.Getpid())
		drop(b, place.At)
		b.Cleanup(func() { drop(b, place.At) })
	}
	return place
}

// Open returns a Locker on the place.
func Open(ctx context.Context, place Place) (*namedlock.Locker, error) {
	repo, err := open(ctx, place)
	if err != nil {
		return nil, err
	}
	return namedlock.New(repo), nil
}

func open(ctx context.Context, place Place) (ports.Repository, error) {
	switch place.Kind {
	case "memory":
		return memory.New(nil), nil
	case "sqlite":
		return sqlite.Open(ctx, place.At, nil)
	case "postgres":
		url, err := server()
		if err != nil {
			return nil, err
		}
		return postgres.Open(ctx, url, postgres.Config{Schema: place.At})
	}
	return nil, fmt.Errorf("%q is no store", place.Kind)
}

// server returns the URL of the Postgres server.
func server() (string, error) {
	if url := os.Getenv("PGURL"); url != "" {
		return url, nil
	}
	return "", errors.New("PGURL names no Postgres server: scripts/with-postgres starts one")
}

// drop removes a schema with all that is in it.
func drop(b *testing.B, schema string) {
	b.Helper()
	url, err := server()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "DROP SCHEMA IF EXISTS "+pgx.Identifier{schema}.Sanitize()+" CASCADE"); err != nil {
		b.Fatal(err)
	}
}
