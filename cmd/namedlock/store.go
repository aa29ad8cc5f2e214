package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/sql"
)

// storeVariable is where the store is read from when the command line names none.
const storeVariable = "NAMEDLOCK_STORE"

// store is where the locks are: a SQLite file, or else a Postgres database.
type store struct {
	path string
	url  string
	// own is whether the file is the one of who names no store: its folder is made as well.
	own bool
}

// chooseStore returns the store that the flag names if it was given, else the one of the environment, else the default.
func chooseStore(flag string, given bool) (store, error) {
	if given {
		return parseStore("--store", flag)
	}
	if text := os.Getenv(storeVariable); text != "" {
		return parseStore(storeVariable, text)
	}
	folder, err := stateFolder()
	return store{path: filepath.Join(folder, "locks.db"), own: true}, failure(codeStore, err)
}

// parseStore returns the store that text names. Errors leave the text out, which may hold a password.
func parseStore(origin, text string) (store, error) {
	if path, ok := strings.CutPrefix(text, "sqlite:"); ok && path != "" {
		return store{path: path}, nil
	}
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		return store{url: text}, nil
	}
	return store{}, usage("%s names no store: give sqlite:PATH or postgres://USER@HOST:PORT/DATABASE", origin)
}

// open opens the store, whose locks tell the observer, if there is one, what happens to them. The function that it returns
// closes the store.
func (s store) open(ctx context.Context, observer namedlock.Observer) (*namedlock.Locker, func(), error) {
	if s.path == "" {
		return injectPostgres(ctx, postgres.URL(s.url), postgres.Config{}, observer)
	}
	if s.own {
		if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
			return nil, nil, fmt.Errorf("the default store: %w", err)
		}
	}
	return injectSQLite(ctx, sqlite.Path(s.path), observer)
}

// version returns the version of the schema that this release makes.
func (s store) version() int64 {
	dialect := "postgres"
	if s.path != "" {
		dialect = "sqlite"
	}
	steps, err := sql.Migrations(dialect)
	if err != nil {
		return 0
	}
	return sql.Latest(steps)
}

// String names the store without a password.
func (s store) String() string {
	if s.path != "" {
		return "sqlite:" + s.path
	}
	address, err := url.Parse(s.url)
	if err != nil {
		return "postgres"
	}
	if address.User != nil {
		address.User = url.User(address.User.Username())
	}
	query := address.Query()
	query.Del("password")
	address.RawQuery = query.Encode()
	return address.String()
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
