//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/sqlite"
)

// opened is what a process says that could open its file and take a lock in it.
const opened = "opened"

// Permissions do not bind root, so another process asks as somebody else.
func TestOpenRefusesWhatItMayNotWrite(t *testing.T) {
	for _, c := range []struct {
		what         string
		prepare      func(t *testing.T, path string)
		folder, file os.FileMode
		says         string
	}{
		{"a folder and a file that may be written", emptyFile, 0o777, 0o666, opened},
		{"a folder that may be written, no file", noFile, 0o777, 0, opened},
		{"a folder that may not be written, no file", noFile, 0o555, 0, "permission denied"},
		{"a folder that may not be written, a file that may", emptyFile, 0o555, 0o666, "readonly"},
		{"a folder that may not be written, locks that may", lockedFile, 0o555, 0o666, "readonly"},
		{"a file that may only be read", emptyFile, 0o777, 0o444, "readonly"},
		{"locks that may only be read", lockedFile, 0o777, 0o444, "readonly"},
		{"a file that may not be read", lockedFile, 0o777, 0, "permission denied"},
	} {
		t.Run(c.what, func(t *testing.T) {
			folder := sharedFolder(t)
			path := filepath.Join(folder, "locks.db")
			c.prepare(t, path)
			permit(t, path, c.file)
			permit(t, folder, c.folder)
			before := contents(t, folder)["locks.db"]
			output, err := process("nobody", path).Output()
			if said := string(output); !strings.Contains(said, c.says) || err != nil {
				t.Errorf("the process said %q (%v), want %q", said, err, c.says)
			}
			if after := contents(t, folder)["locks.db"]; c.says != opened && after != before {
				t.Errorf("the file was written to")
			}
			onlyFiles(t, path)
		})
	}
}

// beNobody opens the file without the rights of root and says what came of it.
func beNobody(path string) error {
	if err := renounceRoot(); err != nil {
		return err
	}
	repo, err := sqlite.Open(context.Background(), path, nil)
	if err == nil {
		_, _, err = namedlock.New(repo).TryLock(context.Background(), "x", "nobody", time.Hour)
	}
	switch {
	case err == nil:
		fmt.Print(opened)
	case errors.Is(err, namedlock.ErrDatabase):
		fmt.Print(err)
	default:
		return fmt.Errorf("no error of the store: %w", err)
	}
	return nil
}

// renounceRoot makes this process one of nobody's if it is root's.
func renounceRoot() error {
	if os.Geteuid() != 0 {
		return nil
	}
	const nobody = 65534
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody))
}

// sharedFolder returns a folder that everybody can enter.
func sharedFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	permit(t, filepath.Dir(folder), 0o755)
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	return folder
}

// permit sets the permissions of what is there.
func permit(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func noFile(*testing.T, string) {}

func emptyFile(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lockedFile makes a file with a lock in it, which nobody has open.
func lockedFile(t *testing.T, path string) {
	t.Helper()
	repo := open(t, path, nil)
	grant(t, namedlock.New(repo), "x", "A", time.Hour)
	_ = repo.Close()
}
