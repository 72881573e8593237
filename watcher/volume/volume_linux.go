package volume

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystem holds the properties of a type of file system.
type fileSystem struct {
	name    string
	network bool
	lasting bool // inode numbers survive a new mount
	id      bool // f_fsid comes from the volume's UUID, not from the device it happens to be on
	changes bool // st_ctime is that of the drive, though inode numbers do not last
}

// fileSystems by statfs(2) f_type. A type not listed counts as a network drive: reading it costs
// more, but trusting events that never come would cost pictures.
var fileSystems = map[uint32]fileSystem{
	unix.EXT4_SUPER_MAGIC:      {name: "ext4", lasting: true, id: true},
	unix.BTRFS_SUPER_MAGIC:     {name: "btrfs", lasting: true, id: true},
	0x2fc12fc1:                 {name: "zfs", lasting: true, id: true},
	unix.XFS_SUPER_MAGIC:       {name: "xfs", lasting: true},
	unix.F2FS_SUPER_MAGIC:      {name: "f2fs", lasting: true},
	unix.BCACHEFS_SUPER_MAGIC:  {name: "bcachefs", lasting: true},
	unix.TMPFS_MAGIC:           {name: "tmpfs", lasting: true},
	unix.RAMFS_MAGIC:           {name: "ramfs", lasting: true},
	unix.OVERLAYFS_SUPER_MAGIC: {name: "overlay", changes: true},
	unix.ECRYPTFS_SUPER_MAGIC:  {name: "ecryptfs", lasting: true},
	unix.REISERFS_SUPER_MAGIC:  {name: "reiserfs", lasting: true},
	0x3153464a:                 {name: "jfs", lasting: true},
	0x7366746e:                 {name: "ntfs", lasting: true},
	0x482b:                     {name: "hfsplus", lasting: true},
	unix.MSDOS_SUPER_MAGIC:     {name: "vfat"},
	unix.EXFAT_SUPER_MAGIC:     {name: "exfat"},
	unix.FUSE_SUPER_MAGIC:      {name: "fuse", network: true},
	unix.NFS_SUPER_MAGIC:       {name: "nfs", network: true, changes: true},
	unix.CIFS_SUPER_MAGIC:      {name: "smb", network: true, changes: true},
	unix.SMB2_SUPER_MAGIC:      {name: "smb", network: true, changes: true},
	unix.SMB_SUPER_MAGIC:       {name: "smb", network: true, changes: true},
	unix.V9FS_MAGIC:            {name: "9p", network: true},
}

func volumeOf(root string) (Volume, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(root, &s); err != nil {
		return Volume{}, err
	}
	kind, known := fileSystems[uint32(s.Type)]
	if !known {
		kind = fileSystem{name: fmt.Sprintf("%#x", uint32(s.Type)), network: true}
	}
	v := Volume{Network: kind.network, Lasting: kind.lasting, Changes: kind.lasting || kind.changes}
	v.Identity.FS = kind.name
	if kind.id {
		v.Identity.ID = fmt.Sprintf("%08x%08x", uint32(s.Fsid.Val[0]), uint32(s.Fsid.Val[1]))
	}
	return v, nil
}
