package nofollow

import (
	"os"

	"golang.org/x/sys/unix"
)

// entries reads all names from one stream. unix.ReadDirent opens another one for each buffer, and
// skips as many names as it returned before. Where a file came or went between two buffers, it
// returns a name twice, or never.
func (d Dir) entries() ([]string, error) {
	fd, err := again(func() (int, error) { return unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return f.Readdirnames(-1)
}
