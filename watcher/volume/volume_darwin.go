package volume

import (
	"strings"

	"golang.org/x/sys/unix"
)

// volumeOf knows no id of the volume: f_fsid is the device's number, which changes from one start
// to the next.
func volumeOf(root string) (Volume, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(root, &s); err != nil {
		return Volume{}, err
	}
	name := unix.ByteSliceToString(s.Fstypename[:])
	fat := name == "msdos" || strings.HasPrefix(name, "exfat")
	network := s.Flags&unix.MNT_LOCAL == 0
	return Volume{Identity: Identity{FS: name}, Network: network, Lasting: !network && !fat}, nil
}
