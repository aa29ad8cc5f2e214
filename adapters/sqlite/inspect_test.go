package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alkstore/namedlock/ports"
)

func TestInspectTellsOfAFileAndChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locks.db")
	if _, err := Inspect(t.Context(), path); err == nil {
		t.Error("a missing file is inspected")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the file was made: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	empty, err := Inspect(t.Context(), path)
	if err != nil || empty.Version == "" || empty.JournalMode != "delete" || empty.Applied != 0 || empty.Known != 1 {
		t.Errorf("an empty file is %+v, %v", empty, err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("it was written to: %v, %v", info, err)
	}
	repo, err := Open(t.Context(), path, ports.SystemClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	used, err := Inspect(t.Context(), path)
	if err != nil || used.JournalMode != "wal" || used.Applied != 1 || used.Known != 1 {
		t.Errorf("a file in use is %+v, %v", used, err)
	}
}
