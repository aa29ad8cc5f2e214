package sqlite_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

// awkward are names of files that a URI, a shell or a driver could take for something else.
var awkward = []string{
	"locks.db", "with blank.db", "what?.db", "a#b.db", "a%20b.db", "100%.db", "Schlüssel.db", "a&mode=memory", "a;b,c+d=e.db",
	"it's \"quoted\".db", "*.new-*", "-wal", "file:locks.db",
}

func TestOpenMakesAFileThatOnlyItsOwnerReads(t *testing.T) {
	for _, name := range awkward {
		path := filepath.Join(t.TempDir(), name)
		grant(t, namedlock.New(open(t, path, nil)), "x", "A", time.Hour)
		for _, file := range []string{path, path + "-wal", path + "-shm"} {
			info, err := os.Stat(file)
			if err != nil || info.Mode() != 0o600 {
				t.Errorf("%s: %v, %v", file, info, err)
			}
		}
		onlyFiles(t, path)
	}
}

// onlyFiles fails when there is more in the folder of a file than the file, its log and its index.
func onlyFiles(t testing.TB, path string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if rest, its := strings.CutPrefix(file.Name(), filepath.Base(path)); !its || rest != "" && rest != "-wal" && rest != "-shm" {
			t.Errorf("%s is left beside %s", file.Name(), path)
		}
	}
}

func TestOpenFindsItsFileAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a folder?#%41")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range awkward {
		path := filepath.Join(folder, name)
		first := open(t, path, nil)
		grant(t, namedlock.New(first), "x", name, time.Hour)
		_ = first.Close()
		entry, _, err := namedlock.New(open(t, path, nil)).Find(t.Context(), "x")
		if entry.Owner != name || err != nil {
			t.Errorf("%s: %+v, %v, want the lock from before", path, entry, err)
		}
	}
}

// A relative path is settled when the file is opened: later connections must not follow the process into another folder.
func TestOpenStaysWithItsFileWhenTheProcessChangesItsFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	repo := open(t, "locks.db", nil)
	grant(t, namedlock.New(repo), "x", "A", time.Hour)
	t.Chdir(t.TempDir())
	sqlite.Pool(repo).SetMaxIdleConns(0)
	if _, found, err := namedlock.New(repo).Find(t.Context(), "x"); !found || err != nil {
		t.Errorf("on a new connection: %v, %v", found, err)
	}
}

func TestOpenManyTimesAtOnceInOneProcess(t *testing.T) {
	for range 10 {
		path := newPath(t)
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				repo, err := sqlite.Open(t.Context(), path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if _, _, err := namedlock.New(repo).TryLock(t.Context(), fmt.Sprint(i), "A", time.Hour); err != nil {
					t.Error(err)
				}
				_ = repo.Close()
			})
		}
		all.Wait()
		if locks := newForeign(t, path).number("SELECT count(*) FROM namedlock_locks"); locks != 16 {
			t.Errorf("%d locks are held, want 16 in one file", locks)
		}
		onlyFiles(t, path)
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

func TestEveryConnectionOfOpenSyncsEachCommitIntoAWriteAheadLog(t *testing.T) {
	path := newPath(t)
	pool := sqlite.Pool(open(t, path, nil))
	for range pool.Stats().MaxOpenConnections {
		conn, err := pool.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for setting, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "0"} {
			var got string
			if err := conn.QueryRowContext(t.Context(), "PRAGMA "+setting).Scan(&got); got != want || err != nil {
				t.Errorf("%s is %s (%v), want %s", setting, got, err, want)
			}
		}
	}
	if open := pool.Stats().OpenConnections; open < 2 {
		t.Errorf("only %d connections were looked at", open)
	}
	if strict := newForeign(t, path).number("SELECT strict FROM pragma_table_list WHERE name = 'namedlock_locks'"); strict != 1 {
		t.Error("the table is not strict")
	}
}

func TestProvideClosesWhatItOpened(t *testing.T) {
	repo, cleanUp, err := sqlite.Provide(t.Context(), sqlite.Path(newPath(t)), nil)
	if err != nil {
		t.Fatal(err)
	}
	cleanUp()
	if _, _, err := namedlock.New(repo).Find(t.Context(), "x"); !errors.Is(err, namedlock.ErrClosed) {
		t.Errorf("%v, want a closed store", err)
	}
	if _, _, err := sqlite.Provide(t.Context(), "", nil); !errors.Is(err, namedlock.ErrDatabase) {
		t.Errorf("no path: %v", err)
	}
}

func TestOpenRefusesWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	nonsense := filepath.Join(folder, "nonsense")
	if err := os.WriteFile(nonsense, []byte(strings.Repeat("this is no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(folder, "short")
	if err := os.WriteFile(short, []byte("no"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := contents(t, folder)
	for _, c := range []struct{ what, path, says string }{
		{"an empty path", "", "the path is empty"},
		{"a database in memory", ":memory:", "use the memory adapter"},
		{"a URI", "file:locks.db?mode=memory", "use New"},
		{"a NUL", filepath.Join(folder, "a\x00b"), "NUL"},
		{"a missing folder", filepath.Join(folder, "missing", "locks.db"), filepath.Join("missing", "locks.db") + ": no such file"},
		{"a folder that is a file", filepath.Join(nonsense, "locks.db"), nonsense},
		{"a folder of the system's", "/proc/locks.db", "/proc/locks.db"},
		{"a folder", folder, folder},
		{"no database", nonsense, nonsense},
		{"a short file that is no database", short, short},
	} {
		repo, err := sqlite.Open(t.Context(), c.path, nil)
		if repo != nil || !errors.Is(err, namedlock.ErrDatabase) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, want an error of the store that says %q", c.what, repo, err, c.says)
		}
	}
	if after := contents(t, folder); !maps.Equal(before, after) {
		t.Errorf("the folder held %q and now holds %q", before, after)
	}
}

// contents returns the files of a folder with a sum of what is in them.
func contents(t testing.TB, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = fmt.Sprintf("%x", sha256.Sum256(text))
	}
	return files
}

func TestNewRefusesAHandleThatCannotKeepLocks(t *testing.T) {
	file := newPath(t)
	open(t, file, nil)
	for _, c := range []struct{ what, name, says string }{
		{"memory", ":memory:", "use a file"},
		{"memory by URI", "file::memory:", "use a file"},
		{"memory that is shared", "file:shared?mode=memory&cache=shared", "use a file"},
		{"a temporary database", "", "use a file"},
		{"a file that is read-only", "file:" + file + "?mode=ro", "readonly"},
		{"a handle that only queries", "file:" + file + "?_query_only=1", "readonly"},
		{"a file without the tables", "file:" + newPath(t), "Migrate"},
	} {
		db, err := sql.Open("sqlite3", c.name)
		if err != nil {
			t.Fatal(err)
		}
		if repo, err := sqlite.New(t.Context(), db, nil); repo != nil || !errors.Is(err, namedlock.ErrDatabase) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v, want an error of the store that says %q", c.what, repo, err, c.says)
		}
		if err := db.Ping(); err != nil {
			t.Errorf("M10 %s: the caller's handle no longer works: %v", c.what, err)
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
