//go:build unix && !linux

package rootlock

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/text/unicode/norm"
)

// folded lets all ways to write a name be the same, as they usually are on macOS.
func folded(path string) string { return strings.ToLower(norm.NFC.String(path)) }

// hold locks a file in the directory for temporary files that all users share. The file stays, since removing it would let two
// programs lock two files of one name.
func hold(name string) (release func() error, holder string, err error) {
	file, err := os.OpenFile("/tmp/"+name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o666)
	if err != nil {
		return nil, "", err
	}
	_ = file.Chmod(0o666) // another user's program must be able to open it
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, writerOf(file), errors.Join(ErrHeld, file.Close())
	}
	if err != nil {
		return nil, "", errors.Join(err, file.Close())
	}
	_ = file.Truncate(0)
	_, _ = fmt.Fprint(file, os.Getpid())
	return file.Close, "", nil
}

// writerOf names the process that wrote the file.
func writerOf(file *os.File) string {
	var pid int
	if _, err := fmt.Fscan(file, &pid); err != nil {
		return ""
	}
	return process(pid)
}
