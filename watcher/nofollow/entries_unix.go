//go:build unix && !darwin

package nofollow

import (
	"sync"

	"golang.org/x/sys/unix"
)

// entryBuffers are kept from one directory to the next.
var entryBuffers = sync.Pool{New: func() any { return new([16 << 10]byte) }}

func (d Dir) entries() (names []string, err error) {
	kept := entryBuffers.Get().(*[16 << 10]byte)
	defer entryBuffers.Put(kept)
	buf := kept[:]
	for {
		n, err := again(func() (int, error) { return unix.ReadDirent(d.fd, buf) })
		if n == 0 || err != nil {
			return names, err
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}
