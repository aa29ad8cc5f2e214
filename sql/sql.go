// Package sql holds the statements of the SQL stores: the schema as migrations in goose's format, and the queries that
// sqlc makes code of. The two folders are twins: same files, same query names, same order; what differs is the dialect.
//
// Migrate of each adapter applies the migrations. Whoever has a migration tool of their own gives it the files, in a
// database that has the schema namedlock already:
//
//	migrations, err := fs.Sub(sql.Files, "postgres/migrations")
//
// In the Postgres files "namedlock." stands for the schema; for another one, replace it by that name, quoted.
package sql

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// Files are the migrations of both stores, in sqlite/migrations and postgres/migrations.
//
//go:embed sqlite/migrations/*.sql postgres/migrations/*.sql
var Files embed.FS

// Migration is one step of a schema.
type Migration struct {
	// Version is its number. Steps are applied in its order.
	Version int64
	// Up are the statements that take it.
	Up string
}

// Migrations returns the steps of a store's schema, in order. The store is "sqlite" or "postgres".
func Migrations(store string) ([]Migration, error) {
	paths, err := fs.Glob(Files, store+"/migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var steps []Migration
	for _, path := range paths {
		step, err := read(path)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// Latest returns the version that the steps lead to, and zero when there are none.
func Latest(steps []Migration) int64 {
	if len(steps) == 0 {
		return 0
	}
	return steps[len(steps)-1].Version
}

// read returns the step in a file named NUMBER_WORDS.sql.
func read(path string) (Migration, error) {
	text, err := Files.ReadFile(path)
	if err != nil {
		return Migration{}, err
	}
	number, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Migration{}, fmt.Errorf("migration %s has no number: %w", path, err)
	}
	return Migration{Version: version, Up: up(string(text))}, nil
}

// up returns the part of a goose file that goes up.
func up(text string) string {
	_, text, _ = strings.Cut(text, "-- +goose Up")
	text, _, _ = strings.Cut(text, "-- +goose Down")
	return strings.TrimSpace(text)
}

// Pending returns the steps that are missing where the versions applied are there already. It refuses a schema that has
// versions which this build does not know: a newer release made it, and what it promises is unknown here.
func Pending(steps []Migration, applied []int64) ([]Migration, error) {
	there := map[int64]bool{}
	for _, version := range applied {
		there[version] = true
	}
	var missing []Migration
	for _, step := range steps {
		if !there[step.Version] {
			missing = append(missing, step)
		}
		delete(there, step.Version)
	}
	for version := range there {
		return nil, fmt.Errorf("the schema has version %d, which this release does not know: use a newer release of namedlock", version)
	}
	return missing, nil
}
