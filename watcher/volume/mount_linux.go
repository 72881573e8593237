package volume

import "golang.org/x/sys/unix"

// isMountPoint reports whether a directory is where something is mounted, another directory of the
// same volume included. A network drive is not asked for that.
func isMountPoint(dir string) bool {
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW|unix.AT_STATX_DONT_SYNC, 0, &s)
	if err != nil || s.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT == 0 { // before Linux 5.8
		return onOtherDevice(dir)
	}
	return s.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
