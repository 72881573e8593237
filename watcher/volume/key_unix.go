//go:build unix

package volume

import (
	"fmt"
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

// DirectoryID is the same for all paths of a directory.
func DirectoryID(dir string) (string, error) {
	at, err := keyAt(dir)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%x-%x", at.device, at.inode), nil
}

// IsOwn reports whether a file belongs to the account of this process.
func IsOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == syscall.Geteuid()
}
