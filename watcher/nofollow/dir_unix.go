//go:build unix

package nofollow

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Dir is an open directory. Asking for its entries through the handle costs half of what os.Lstat
// costs, and no link can slip in between. An os.File would cost six more system calls for each
// directory.
type Dir struct {
	path string
	fd   int
}

// Open opens a directory that is no link itself.
func Open(path string) (Dir, error) { return openDirAt(unix.AT_FDCWD, path, path, unix.O_NOFOLLOW) }

// openDirAt opens a directory by its name in another one.
func openDirAt(parent int, name, path string, flags int) (Dir, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(parent, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|flags, 0)
	})
	if err == unix.ENOTDIR || err == unix.ELOOP {
		return Dir{}, ErrNoDir
	}
	if err != nil {
		return Dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return Dir{path, fd}, nil
}

// OpenBelow opens a directory below a root and follows no link on the way, not even one inside the
// root: each directory is opened from the one above. That costs half of the system calls of
// os.Root.
func OpenBelow(root, below string) (Dir, error) {
	at, err := openDirAt(unix.AT_FDCWD, root, root, 0) // the root itself may be a link
	if err != nil {
		return Dir{}, err
	}
	for seg := range strings.SplitSeq(path.Clean(below), "/") {
		if seg == "." {
			continue
		}
		next, err := openDirAt(at.fd, seg, filepath.Join(at.path, seg), unix.O_NOFOLLOW)
		at.Close()
		if err != nil {
			return Dir{}, err
		}
		at = next
	}
	return at, nil
}

// OpenRegular opens a regular file for reading, and no link. It checks what is there before it
// opens: opening a device may have an effect.
func (d Dir) OpenRegular(name string) (*os.File, error) {
	before, err := d.Stat(name)
	if err != nil {
		return nil, err
	}
	if !before.Regular {
		return nil, fmt.Errorf("open %s: not a regular file", filepath.Join(d.path, name))
	}
	return d.openRegular(name)
}

// openRegular does not wait, since a pipe may have taken the file's place after the check: opening
// one takes until somebody writes into it.
func (d Dir) openRegular(name string) (*os.File, error) {
	full := filepath.Join(d.path, name)
	fd, err := again(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: full, Err: err}
	}
	var s unix.Stat_t
	if _, err = again(func() (int, error) { return 0, unix.Fstat(fd, &s) }); err == nil {
		err = unix.SetNonblock(fd, false)
	}
	if err == nil && uint32(s.Mode)&unix.S_IFMT != unix.S_IFREG {
		err = errors.New("not a regular file")
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, &fs.PathError{Op: "open", Path: full, Err: err}
	}
	return os.NewFile(uintptr(fd), full), nil
}

// Close closes the directory.
func (d Dir) Close() { _ = unix.Close(d.fd) }

// Stat follows no link. The name "." is the directory itself.
func (d Dir) Stat(name string) (Attrs, error) {
	var s unix.Stat_t
	_, err := again(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &s, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return Attrs{}, &fs.PathError{Op: "stat", Path: d.path + "/" + name, Err: err}
	}
	kind := uint32(s.Mode) & unix.S_IFMT
	return Attrs{
		Regular: kind == unix.S_IFREG,
		Dir:     kind == unix.S_IFDIR,
		Away:    isAway(&s),
		Size:    s.Size,
		ModTime: time.Unix(s.Mtim.Unix()),
		Inode:   s.Ino,
		Changed: s.Ctim.Nano(),
	}, nil
}

// Names are in byte order, each once.
func (d Dir) Names() ([]string, error) {
	names, err := d.entries()
	if err != nil {
		return nil, &fs.PathError{Op: "list", Path: d.path, Err: err}
	}
	return inOrder(names), nil
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
