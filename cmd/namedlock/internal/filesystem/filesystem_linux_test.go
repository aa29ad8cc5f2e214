package filesystem

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAFolderIsOnSomeFileSystem(t *testing.T) {
	if name, kind := Of(t.TempDir()); name == "" || kind == Network {
		t.Errorf("a temporary folder is on %q, of kind %d", name, kind)
	}
	if name, kind := Of("/proc"); !strings.Contains(name, "number") || kind != Unknown {
		t.Errorf("/proc is on %q, of kind %d", name, kind)
	}
	if name, kind := Of(filepath.Join(t.TempDir(), "none")); !strings.Contains(name, "no such file") || kind != Unknown {
		t.Errorf("nothing is on %q, of kind %d", name, kind)
	}
}

func TestNetworkFileSystemsAreKnown(t *testing.T) {
	for _, magic := range []uint32{unix.NFS_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC} {
		if known[magic].kind != Network {
			t.Errorf("%#x is %+v", magic, known[magic])
		}
	}
}
