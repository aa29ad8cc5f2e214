package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

// storeVariable is where the store is read from when the command line names none.
const storeVariable = "NAMEDLOCK_STORE"

// opener opens a store. The function that it returns closes it.
type opener func(ctx context.Context) (*namedlock.Locker, func(), error)

// chooseStore returns the store that the flag names if it was given, else the one of the environment, else the default.
func chooseStore(flag string, given bool) (opener, error) {
	if given {
		return parseStore("--store", flag)
	}
	if text := os.Getenv(storeVariable); text != "" {
		return parseStore(storeVariable, text)
	}
	return openDefault, nil
}

// parseStore returns the store that text names. Errors leave the text out, which may hold a password.
func parseStore(origin, text string) (opener, error) {
	if path, ok := strings.CutPrefix(text, "sqlite:"); ok && path != "" {
		return openSQLite(path), nil
	}
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		return openPostgres(text), nil
	}
	return nil, usage("%s names no store: give sqlite:PATH or postgres://USER@HOST:PORT/DATABASE", origin)
}

func openSQLite(path string) opener {
	return func(ctx context.Context) (*namedlock.Locker, func(), error) {
		return injectSQLite(ctx, sqlite.Path(path))
	}
}

func openPostgres(url string) opener {
	return func(ctx context.Context) (*namedlock.Locker, func(), error) {
		return injectPostgres(ctx, postgres.URL(url), postgres.Config{})
	}
}

// openDefault opens the file that is there for who names no store, and makes its folder.
func openDefault(ctx context.Context) (*namedlock.Locker, func(), error) {
	folder, err := stateFolder()
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, fmt.Errorf("the default store: %w", err)
	}
	return injectSQLite(ctx, sqlite.Path(filepath.Join(folder, "locks.db")))
}

// stateFolder returns our folder for what outlives a process, as the XDG base directory specification has it: a relative
// path there is to be ignored.
func stateFolder() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "namedlock"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no default store: %w; give --store", err)
	}
	return filepath.Join(home, ".local", "state", "namedlock"), nil
}
