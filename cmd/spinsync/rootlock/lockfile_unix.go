//go:build unix

package rootlock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// holdFile locks an empty file that all users can read, and makes it if need be. It changes nothing
// that it did not make: anybody may have put a link to a file of ours under its name. The file
// stays, since removing it would let two programs lock two files of one name.
func holdFile(path string) (heldName, error) {
	file, err := makeLock(path)
	if errors.Is(err, fs.ErrExist) {
		file, err = openLock(path)
	}
	if err != nil {
		return heldName{}, err
	}
	if err := lock(file); err != nil {
		return heldName{}, errors.Join(err, file.Close())
	}
	return heldName{release: file.Close, lost: func() bool { return !leadsTo(path, file) }}, nil
}

// isFileHeld reports whether another program holds a lock.
func isFileHeld(path string) bool {
	file, err := openLock(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return errors.Is(unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}

func makeLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return nil, err
	}
	if err := file.Chmod(0o444); err != nil { // whatever the umask is
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// openLock refuses what has other names too, or is no file: that is no lock.
func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	var s unix.Stat_t
	err = unix.Fstat(int(file.Fd()), &s)
	if err == nil && (uint32(s.Mode)&unix.S_IFMT != unix.S_IFREG || s.Nlink > 1) {
		err = fmt.Errorf("%s is no lock; remove it", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// lock lets those pass that only ask whether the lock is held.
func lock(file *os.File) (err error) {
	for range 20 {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ErrHeld
}

// leadsTo reports whether a path is still that of an open file.
func leadsTo(path string, file *os.File) bool {
	now, err := os.Lstat(path)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(now, opened)
}
