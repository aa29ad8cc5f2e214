package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

func TestOpenMakesAFileThatOnlyItsOwnerReads(t *testing.T) {
	for _, name := range []string{"locks.db", "with blank.db", "what?.db", "a#b%20c.db", "Schlüssel.db"} {
		path := filepath.Join(t.TempDir(), name)
		grant(t, namedlock.New(open(t, path, nil)), "x", "A", time.Hour)
		for _, file := range []string{path, path + "-wal", path + "-shm"} {
			info, err := os.Stat(file)
			if err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v, %v", file, info, err)
			}
		}
		files, _ := os.ReadDir(filepath.Dir(path))
		if len(files) != 3 {
			t.Errorf("the folder holds %v, want the file with its log and index", files)
		}
	}
}

func TestOpenLeavesAFileThatIsThereAsItIs(t *testing.T) {
	path := newPath(t)
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	open(t, path, nil)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestOpenSyncsEachCommitIntoAWriteAheadLog(t *testing.T) {
	path := newPath(t)
	settings := sqlite.SettingsOf(t, open(t, path, nil))
	for setting, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "0"} {
		if got := settings(setting); got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	if strict := newForeign(t, path).number("SELECT strict FROM pragma_table_list WHERE name = 'namedlock_locks'"); strict != 1 {
		t.Error("the table is not strict")
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	nonsense := filepath.Join(folder, "nonsense")
	if err := os.WriteFile(nonsense, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{
		"an empty path":            "",
		"a database in memory":     ":memory:",
		"a URI":                    "file:locks.db?mode=memory",
		"a NUL":                    filepath.Join(folder, "a\x00b"),
		"a missing folder":         filepath.Join(folder, "missing", "locks.db"),
		"a folder that is a file":  filepath.Join(nonsense, "locks.db"),
		"a folder of the system's": "/proc/locks.db",
		"a folder":                 folder,
		"no database":              nonsense,
	} {
		repo, err := sqlite.Open(t.Context(), path, nil)
		if repo != nil || !errors.Is(err, namedlock.ErrDatabase) {
			t.Errorf("%s: %v, %v, want an error of the store", what, repo, err)
		}
	}
	if text, _ := os.ReadFile(nonsense); !strings.HasPrefix(string(text), "this is no database") || len(text) != 2000 {
		t.Error("the file that is no database was written to")
	}
	if _, err := os.Stat(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the missing folder was made")
	}
}

func TestNewRefusesAHandleThatCannotKeepLocks(t *testing.T) {
	ready := newPath(t)
	open(t, ready, nil)
	for what, name := range map[string]string{
		"memory":                     ":memory:",
		"memory by URI":              "file::memory:",
		"memory that is shared":      "file:shared?mode=memory&cache=shared",
		"a temporary database":       "",
		"a file that is read-only":   "file:" + ready + "?mode=ro",
		"a handle that only queries": "file:" + ready + "?_query_only=1",
		"a file without the tables":  "file:" + newPath(t),
	} {
		db, err := sql.Open("sqlite3", name)
		if err != nil {
			t.Fatal(err)
		}
		if repo, err := sqlite.New(t.Context(), db, nil); repo != nil || !errors.Is(err, namedlock.ErrDatabase) {
			t.Errorf("%s: %v, %v, want an error of the store", what, repo, err)
		}
		if err := db.Ping(); err != nil {
			t.Errorf("M10 %s: the caller's handle no longer works: %v", what, err)
		}
		_ = db.Close()
	}
	if _, err := sqlite.New(t.Context(), nil, nil); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("no handle: %v", err)
	}
	if err := sqlite.Migrate(t.Context(), nil); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("no handle to migrate: %v", err)
	}
}

func TestM10CloseLeavesTheCallersHandleOpen(t *testing.T) {
	db := openDB(t, newPath(t), "_journal_mode=WAL")
	repo := onHandle(t, db, nil)
	if err := errors.Join(repo.Close(), repo.Close(), db.Ping()); err != nil {
		t.Error(err)
	}
}

func TestM9OneConnectionWillDoForManyLocks(t *testing.T) {
	db := openDB(t, newPath(t), "_journal_mode=WAL")
	db.SetMaxOpenConns(1)
	locker := namedlock.New(onHandle(t, db, nil))
	for _, name := range strings.Split("abcdefghijklmnopqrst", "") {
		grant(t, locker, name, "A", time.Hour)
		if inUse := db.Stats().InUse; inUse != 0 {
			t.Fatalf("%d connections are kept", inUse)
		}
	}
}
