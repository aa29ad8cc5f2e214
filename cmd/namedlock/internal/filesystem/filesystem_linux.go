package filesystem

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// known are file systems by the magic number that statfs tells.
var known = map[uint32]struct {
	name string
	kind Kind
}{
	unix.NFS_SUPER_MAGIC:       {"NFS", Network},
	unix.SMB_SUPER_MAGIC:       {"SMB", Network},
	unix.CIFS_SUPER_MAGIC:      {"CIFS", Network},
	unix.SMB2_SUPER_MAGIC:      {"SMB2", Network},
	unix.CEPH_SUPER_MAGIC:      {"Ceph", Network},
	unix.AFS_SUPER_MAGIC:       {"AFS", Network},
	unix.AFS_FS_MAGIC:          {"AFS", Network},
	unix.CODA_SUPER_MAGIC:      {"Coda", Network},
	unix.NCP_SUPER_MAGIC:       {"NCP", Network},
	unix.V9FS_MAGIC:            {"9P", Network},
	unix.OCFS2_SUPER_MAGIC:     {"OCFS2", Network},
	unix.FUSE_SUPER_MAGIC:      {"FUSE", Unknown},
	unix.EXT4_SUPER_MAGIC:      {"ext4", Local},
	unix.XFS_SUPER_MAGIC:       {"XFS", Local},
	unix.BTRFS_SUPER_MAGIC:     {"Btrfs", Local},
	unix.F2FS_SUPER_MAGIC:      {"F2FS", Local},
	unix.TMPFS_MAGIC:           {"tmpfs", Local},
	unix.RAMFS_MAGIC:           {"ramfs", Local},
	unix.OVERLAYFS_SUPER_MAGIC: {"overlay", Local},
	0x2fc12fc1:                 {"ZFS", Local},
	0x0bd00bd0:                 {"Lustre", Network},
	0x47504653:                 {"GPFS", Network},
}

// Of returns the name of the file system that a folder is on, and where it is.
func Of(folder string) (string, Kind) {
	var about unix.Statfs_t
	if err := unix.Statfs(folder, &about); err != nil {
		return err.Error(), Unknown
	}
	magic := uint32(about.Type)
	if found, is := known[magic]; is {
		return found.name, found.kind
	}
	return fmt.Sprintf("a file system with the number %#x", magic), Unknown
}
