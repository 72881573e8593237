package nofollow

import (
	"os"

	"golang.org/x/sys/unix"
)

// entries reads all names from one stream. unix.ReadDirent opens another one for each buffer, and
// passes over as many names as it told before: a name is told twice, or never, where a file came or
// went meanwhile.
func (d Dir) entries() ([]string, error) {
	fd, err := again(func() (int, error) { return unix.FcntlInt(uintptr(d.fd), unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), d.path)
	defer f.Close()
	return f.Readdirnames(-1)
}
