//go:build unix && !linux

package nofollow

import (
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"
)

// Names are in byte order.
func (d Dir) Names() ([]string, error) {
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
