//go:build unix

package watcher

import "golang.org/x/sys/unix"

// keyAt follows links.
func keyAt(path string) (fileKey, error) {
	var s unix.Stat_t
	if _, err := again(func() (int, error) { return 0, unix.Stat(path, &s) }); err != nil {
		return fileKey{}, err
	}
	return fileKey{device: uint64(s.Dev), inode: s.Ino}, nil
}
