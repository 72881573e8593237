//go:build unix

package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// handOver gives what root made of a state file to the owner of its directory. The service of the
// system could not open it otherwise, after a sync or rebuild by root.
func handOver(state string) error {
	dir := filepath.Dir(state)
	info, err := os.Stat(dir)
	if err != nil || os.Geteuid() != 0 {
		return err
	}
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), filepath.Base(state)) {
			err = errors.Join(err, giveTo(info, filepath.Join(dir, entry.Name())))
		}
	}
	return err
}

// giveTo gives a file of root's to the owner of a directory. It takes no link: the owner could have
// put one there that leads to a file of the system's.
func giveTo(dir fs.FileInfo, file string) error {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	owner, is := dir.Sys().(*syscall.Stat_t), info.Sys().(*syscall.Stat_t)
	if is.Uid != 0 || is.Nlink != 1 || !info.Mode().IsRegular() {
		return nil
	}
	return f.Chown(int(owner.Uid), int(owner.Gid))
}
