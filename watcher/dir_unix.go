//go:build unix

package watcher

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dir is an open directory. Asking for its entries through the handle costs half of what os.Lstat
// costs, and no link can slip in between. An os.File would cost six more system calls for each
// directory.
type dir struct {
	path string
	fd   int
}

func openDir(path string) (dir, error) { return openDirAt(unix.AT_FDCWD, path, path, unix.O_NOFOLLOW) }

// openDirAt opens a directory by its name in another one.
func openDirAt(parent int, name, path string, flags int) (dir, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|flags, 0)
	})
	if err == unix.ENOTDIR || err == unix.ELOOP {
		return dir{}, errFolder
	}
	if err != nil {
		return dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return dir{path, fd}, nil
}

// openBelow opens a directory below a root and follows no link on the way, not even one inside the
// root: each directory is opened from the one above. That costs half of the system calls of
// os.Root.
func openBelow(root, below string) (dir, error) {
	at, err := openDirAt(unix.AT_FDCWD, root, root, 0) // the root itself may be a link
	if err != nil {
		return dir{}, err
	}
	for seg := range strings.SplitSeq(path.Clean(below), "/") {
		if seg == "." {
			continue
		}
		next, err := openDirAt(at.fd, seg, filepath.Join(at.path, seg), unix.O_NOFOLLOW)
		at.close()
		if err != nil {
			return dir{}, err
		}
		at = next
	}
	return at, nil
}

// openRegular opens a regular file for reading, and no link. It asks what stands there before it
// opens: to open a pipe or a device may hang, or do something.
func (d dir) openRegular(name string) (*os.File, error) {
	full := filepath.Join(d.path, name)
	before, err := d.stat(name)
	if err != nil {
		return nil, err
	}
	if !before.regular {
		return nil, fmt.Errorf("open %s: not a regular file", full)
	}
	fd, err := again(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: full, Err: err}
	}
	var s unix.Stat_t
	if _, err = again(func() (int, error) { return 0, unix.Fstat(fd, &s) }); err == nil && s.Ino != before.inode {
		err = fmt.Errorf("open %s: it was replaced meanwhile", full)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), full), nil
}

func (d dir) close() { _ = unix.Close(d.fd) }

// stat follows no link. The name "." is the directory itself.
func (d dir) stat(name string) (attrs, error) {
	var s unix.Stat_t
	_, err := again(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return attrs{}, &fs.PathError{Op: "stat", Path: d.path + "/" + name, Err: err}
	}
	kind := uint32(s.Mode) & unix.S_IFMT
	return attrs{
		regular: kind == unix.S_IFREG,
		dir:     kind == unix.S_IFDIR,
		size:    s.Size,
		time:    time.Unix(s.Mtim.Unix()),
		inode:   s.Ino,
		changed: s.Ctim.Nano(),
	}, nil
}

// again repeats a system call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

// isOwn reports whether a file belongs to the account of this process.
func isOwn(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == syscall.Geteuid()
}
