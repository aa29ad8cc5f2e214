//go:build unix

package main

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

func TestAStoreThatCannotBeUsedIs69AndStartsNothing(t *testing.T) {
	folder := t.TempDir()
	noDatabase := filepath.Join(folder, "text")
	if err := os.WriteFile(noDatabase, []byte(strings.Repeat("this is a text\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for title, test := range map[string]struct{ store, words string }{
		"folder is missing":   {"sqlite:" + filepath.Join(folder, "missing", "locks.db"), "no such file or directory"},
		"folder is a file":    {"sqlite:" + filepath.Join(noDatabase, "locks.db"), "not a directory"},
		"no database":         {"sqlite:" + noDatabase, "not a database"},
		"memory":              {"sqlite::memory:", "memory"},
		"nobody listens":      {"postgres://me:secret@127.0.0.1:1/db?sslmode=disable", "connection refused"},
		"several hosts":       {"postgres://me:secret@127.0.0.1:1,127.0.0.2:1/db?sslmode=disable", "connection refused"},
		"no host of the name": {"postgresql://me:secret@nowhere.invalid/db?connect_timeout=5", "nowhere.invalid"},
		"no URL":              {"postgres://me:sec%ret@host name/db", "cannot be parsed"},
		"wrong password":      {refusingServer(t), "password authentication failed"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			marker := filepath.Join(t.TempDir(), "started")
			got := run(t, "run", "x", "--store", test.store, "--", "touch", marker)
			got.checkFailure(t, codeStore, test.words)
			if strings.Contains(got.err, "secret") || strings.Contains(got.err, "sec%ret") {
				t.Errorf("it told the password: %q", got.err)
			}
			checkMissing(t, marker)
			checkMissing(t, filepath.Join(folder, "missing"))
		})
	}
}

func TestAStrangerToThePostgresServerIs69(t *testing.T) {
	onEachStore(t, func(w world) {
		server, err := url.Parse(w.store)
		if err != nil || server.Scheme == "sqlite" {
			return
		}
		server.User = url.UserPassword("namedlock_stranger", "secret")
		got := run(w.T, "run", "x", "--store", server.String(), "--", "true")
		got.checkFailure(w.T, codeStore, "namedlock_stranger")
		if strings.Contains(got.err, "secret") {
			w.Errorf("it told the password: %q", got.err)
		}
	})
}

// refusingServer returns the URL of a server that asks for a password and believes none.
func refusingServer(t *testing.T) string {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			refusePassword(conn)
		}
	}()
	return "postgres://me:secret@" + server.Addr().String() + "/db?sslmode=disable"
}

// refusePassword is a server's side of a login that fails.
func refusePassword(conn net.Conn) {
	defer conn.Close()
	backend := pgproto3.NewBackend(conn, conn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationCleartextPassword{})
	if backend.Flush() != nil || backend.SetAuthType(pgproto3.AuthTypeCleartextPassword) != nil {
		return
	}
	if _, err := backend.Receive(); err != nil {
		return
	}
	backend.Send(&pgproto3.ErrorResponse{
		Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "me"`,
	})
	_ = backend.Flush()
}

func TestWithoutAStoreTheLockIsInTheStateFolder(t *testing.T) {
	for title, test := range map[string]struct{ state, want string }{
		"XDG_STATE_HOME":          {"HOME/xdg/state", "xdg/state/namedlock/locks.db"},
		"no XDG_STATE_HOME":       {"", ".local/state/namedlock/locks.db"},
		"relative XDG_STATE_HOME": {"relative/state", ".local/state/namedlock/locks.db"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := namedlockCommand(t, "run", "x", "--", "true")
			cmd.Dir = home
			cmd.Env = append(cmd.Env, "HOME="+home, "XDG_STATE_HOME="+strings.Replace(test.state, "HOME", home, 1))
			finish(t, cmd).checkCode(t, 0)
			file := filepath.Join(home, test.want)
			checkMode(t, file, 0o600)
			checkMode(t, filepath.Dir(file), os.ModeDir|0o700)
			checkMissing(t, filepath.Join(home, "relative"))
		})
	}
}

func TestWithoutAHomeThereIsNoDefaultStore(t *testing.T) {
	t.Parallel()
	cmd := namedlockCommand(t, "run", "x", "--", "true")
	cmd.Env = append(cmd.Env, "HOME=")
	finish(t, cmd).checkFailure(t, codeStore, "--store")
}

func TestTheEnvironmentNamesAStoreAndTheFlagAnother(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	withEnvironment := func(store string, args ...string) result {
		cmd := namedlockCommand(t, append(append([]string{"run", "x"}, args...), "--", "true")...)
		cmd.Env = append(cmd.Env, "HOME="+folder, "NAMEDLOCK_STORE="+store)
		return finish(t, cmd)
	}
	named, other := filepath.Join(folder, "named.db"), filepath.Join(folder, "other.db")
	withEnvironment("sqlite:"+named).checkCode(t, 0)
	checkMode(t, named, 0o600)
	withEnvironment("nonsense", "--store", "sqlite:"+other).checkCode(t, 0)
	checkMode(t, other, 0o600)
	withEnvironment("nonsense").checkFailure(t, codeUsage, "NAMEDLOCK_STORE")
	checkMissing(t, filepath.Join(folder, ".local"))
	withEnvironment("").checkCode(t, 0)
	checkMode(t, filepath.Join(folder, ".local/state/namedlock/locks.db"), 0o600)
}

// checkMode fails unless what is at path has the mode.
func checkMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != want {
		t.Errorf("%s has the mode %v, want %v", path, info.Mode(), want)
	}
}
