//go:build unix

package watcher

import (
	"io/fs"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// dir is an open directory. Asking for its entries through the handle costs half of what os.Lstat costs, and no link
// can slip in between. An os.File would cost six more system calls for each directory.
type dir struct {
	path string
	fd   int
}

func openDir(path string) (dir, error) {
	fd, err := again(func() (int, error) {
		return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	})
	if err == unix.ENOTDIR || err == unix.ELOOP {
		return dir{}, errFolder
	}
	if err != nil {
		return dir{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return dir{path, fd}, nil
}

func (d dir) close() { _ = unix.Close(d.fd) }

// names are in byte order.
func (d dir) names() ([]string, error) {
	var names []string
	buf := make([]byte, 16<<10)
	for {
		n, err := again(func() (int, error) { return unix.ReadDirent(d.fd, buf) })
		if err != nil {
			return nil, &fs.PathError{Op: "list", Path: d.path, Err: err}
		}
		if n <= 0 {
			slices.Sort(names)
			return names, nil
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

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
