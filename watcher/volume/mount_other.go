//go:build !linux

package volume

// isMountPoint reports whether a directory is where a volume is mounted. On Windows it never is:
// there a mount point counts as a link, and is not followed.
func isMountPoint(dir string) bool { return onOtherDevice(dir) }
