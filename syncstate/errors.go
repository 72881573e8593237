package syncstate

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// What can be wrong with a state file. Errors of this package wrap one of these, name the file and
// say what to do.
var (
	// ErrLocked says that another process has the file open.
	ErrLocked = errors.New("the state file is in use")
	// ErrBroken says that the file is damaged, empty or something else. It was not touched.
	ErrBroken = errors.New("the state file is damaged")
	// ErrNewer says that a newer version of the program wrote the file. It was not touched.
	ErrNewer = errors.New("the state file belongs to a newer version of spinsync")
	// ErrDamaged says that a part of the file is damaged that concerns nothing else: the records of
	// one folder's frames, or the history. The rest can be used.
	ErrDamaged = errors.New("the state file is damaged in what is recorded")
	// ErrUnknown says that a commit failed, after which the change may or may not be in the file.
	// All other work is refused with it too, until Reopen was called.
	ErrUnknown = errors.New("it is not known whether the last change was saved")
)

func broken(path string, why any) error {
	return fmt.Errorf("%s: %w (%v): it is left as it is; move it away and run spinsync rebuild", path, ErrBroken, why)
}

// damaged is the error of a value that cannot be read, with the remedy.
func damaged(path string, why error) error {
	if errors.Is(why, ErrDamaged) {
		return fmt.Errorf("%s: %w; stop spinsync and run spinsync rebuild, which keeps a copy and mends it", path, why)
	}
	return broken(path, why)
}

func newer(path string, version, known int) error {
	return fmt.Errorf("%s: %w (schema %d, known up to %d): install that version, or name another file in [state] path",
		path, ErrNewer, version, known)
}

func unknown(path string, cause error) error {
	return fmt.Errorf("%s: %w: %w%s", path, ErrUnknown, cause, remedy(cause))
}

// DiskFull reports whether an error comes from a full disk. It ends as soon as a person makes room.
func DiskFull(err error) bool {
	const windowsDiskFull = syscall.Errno(112)
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull)
}

// remedy is what a person can do about an error of the file's disk.
func remedy(err error) string {
	switch {
	case DiskFull(err):
		return "; make room on its disk"
	case errors.Is(err, syscall.EROFS):
		return "; mount its disk for writing"
	case errors.Is(err, syscall.EIO):
		return "; its disk is failing or gone"
	}
	return ""
}

func closed(path string) error {
	return fmt.Errorf("%s: the state %w", path, os.ErrClosed)
}
