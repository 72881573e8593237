package watcher

import (
	"strings"

	"golang.org/x/sys/unix"
)

// groundOf knows no id of the volume: f_fsid is the device's number, which changes from one start
// to the next.
func groundOf(root string) (ground, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(root, &s); err != nil {
		return ground{}, err
	}
	name := unix.ByteSliceToString(s.Fstypename[:])
	fat := name == "msdos" || strings.HasPrefix(name, "exfat")
	network := s.Flags&unix.MNT_LOCAL == 0
	return ground{Volume: Volume{FS: name}, network: network, lasting: !network && !fat}, nil
}
