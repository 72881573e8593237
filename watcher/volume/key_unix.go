//go:build unix

package volume

import (
	"io/fs"
	"syscall"
)

func keyOf(info fs.FileInfo) key {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return key{}
	}
	return key{device: uint64(s.Dev), inode: uint64(s.Ino)}
}

// IsOwn reports whether a file belongs to the account of this process.
func IsOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == syscall.Geteuid()
}
