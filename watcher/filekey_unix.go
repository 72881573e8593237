//go:build unix

package watcher

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// keyAt follows links.
func keyAt(path string) (fileKey, error) {
	var s unix.Stat_t
	if _, err := again(func() (int, error) { return 0, unix.Stat(path, &s) }); err != nil {
		return fileKey{}, err
	}
	return fileKey{device: uint64(s.Dev), inode: s.Ino}, nil
}

// IDOf is the id of a file, whether ids last where it lies or not.
func IDOf(info fs.FileInfo) FileID {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return FileID(s.Ino)
	}
	return 0
}

// isOwn reports whether a file belongs to the account of this process.
func isOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == syscall.Geteuid()
}
