package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alkstore/namedlock/ports"
)

// connections is how many connections to its file an opened repository keeps at most.
const connections = 8

// Open returns a Repository in the file at path, which is made, readable by its owner only, if it is not there; its folder
// must be. The schema is brought up to date as [Migrate] does. The file is in write-ahead mode and every commit is synced
// to the disk before it is answered. Close closes it. A nil clock is the clock of this machine.
//
// A path that SQLite would take for something else is refused: an empty one, ":memory:", and "file:" URIs. Who needs one
// opens a *sql.DB and gives it to [New].
func Open(ctx context.Context, path string, clock ports.Clock) (*Repository, error) {
	if err := refusePath(path); err != nil {
		return nil, refused(err)
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, refused(err)
	}
	if err := create(absolute); err != nil {
		return nil, refused(err)
	}
	db := sql.OpenDB(connector{dsn: dsn(absolute)})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	r, err := openOn(ctx, db, absolute, clock)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s", err, absolute), db.Close())
	}
	return r, nil
}

// openOn brings the schema of the file up to date and returns the repository that owns db.
func openOn(ctx context.Context, db *sql.DB, file string, clock ports.Clock) (*Repository, error) {
	if err := Migrate(ctx, db); err != nil {
		return nil, err
	}
	return ready(ctx, &Repository{handle: newHandle(db, false), lookout: lookout{file: file}, clock: clock, opened: db})
}

// refusePath returns an error when path does not name a file.
func refusePath(path string) error {
	switch {
	case path == "":
		return errors.New("the path is empty: give the path of a file")
	case strings.ContainsRune(path, 0):
		return errors.New("the path holds a NUL")
	case path == ":memory:":
		return errors.New(`":memory:" is another database for each connection: give the path of a file, or use the memory adapter`)
	case strings.HasPrefix(path, "file:"):
		return errors.New(`"file:" begins a URI: give the path of a file, or open a *sql.DB and use New`)
	}
	return nil
}

// create makes the file at path, empty and readable by its owner only, unless there is one. It is made under another name
// and then linked: closing a database file that SQLite has open would drop SQLite's locks on it.
func create(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return nameIn(err, path)
	}
	defer os.Remove(fresh.Name())
	if err := fresh.Close(); err != nil {
		return err
	}
	if err := os.Link(fresh.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// nameIn returns err as if it were about the file at path, which is the one that the caller knows.
func nameIn(err error, path string) error {
	var about *fs.PathError
	if errors.As(err, &about) {
		return &fs.PathError{Op: "create", Path: path, Err: about.Err}
	}
	return err
}

// dsn returns the data source name of the file at the absolute path. The busy timeout holds while a connection is being set
// up, and is set before the journal mode; the connector ends it.
func dsn(absolute string) string {
	return dataSource(absolute, url.Values{
		"mode":             {"rw"},
		"_busy_timeout":    {"50"},
		"_journal_mode":    {"WAL"},
		"_synchronous":     {"FULL"},
		"_stmt_cache_size": {"32"},
	})
}

// dataSource returns the data source name of the file at the absolute path with options of the driver.
func dataSource(absolute string, options url.Values) string {
	return (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(absolute), RawQuery: options.Encode()}).String()
}
