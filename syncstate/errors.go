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
	// ErrLocked: another process has the file open.
	ErrLocked = errors.New("the state file is in use")
	// ErrDamaged: the file was read to its end twice, and the same bytes were wrong. It was not
	// touched.
	ErrDamaged = errors.New("the state file is damaged")
	// ErrPath: the path leads to something else, or to below a file. What may come yet, as a drive or a
	// right does, is no such error.
	ErrPath = errors.New("name another path in [state]")
	// ErrSchema: another version of the program wrote the file. It was not touched.
	ErrSchema = errors.New("the state file belongs to another version of spinsync")
	// ErrUnknown: a commit failed, after which the change may or may not be in the file. All other
	// work is refused with it too, until Reopen was called.
	ErrUnknown = errors.New("it is not known whether the last change was saved")
	// ErrReplaced: the open file is not at its path any more. Nothing is saved in it: the next start
	// would not find that.
	ErrReplaced = errors.New("the state file was moved, removed or replaced while it was in use")
)

func damaged(path string, why error) error {
	return fmt.Errorf("%s: %w (%v); run spinsync rebuild, which keeps the file and makes a new one", path, ErrDamaged, why)
}

func otherSchema(path string, version int) error {
	return fmt.Errorf("%s: %w (schema %d, this one has %d); install that version, "+
		"or run spinsync rebuild, which keeps the file and makes a new one", path, ErrSchema, version, schema)
}

func notOurs(path string) error {
	return fmt.Errorf("%s is not a state file of spinsync; %w, "+
		"or move the file away and run spinsync rebuild, after which nothing is paused", path, ErrPath)
}

// NoPlace adds to an error at making a state file what a person can do. The path is right where the disk is
// full, failing or not to be written.
func NoPlace(err error) error {
	switch why := remedy(err); {
	case why != "":
		return fmt.Errorf("%w%s", err, why)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%w; %w", err, ErrPath)
	}
	return fmt.Errorf("%w; make the directory writable, or %v", err, ErrPath)
}

// readWrong is the error of a value that cannot be read, in a file that was sound when it was
// opened.
func readWrong(path string, why error) error {
	return fmt.Errorf("%s: the state file cannot be read: %w; "+
		"if that does not pass, stop spinsync and run spinsync rebuild", path, why)
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

func replaced(path string) error {
	return fmt.Errorf("%s: %w; put it back, or start spinsync again: it takes the file that is there, "+
		"or makes one and compares each folder with the service", path, ErrReplaced)
}

func closed(path string) error {
	return fmt.Errorf("%s: the state %w", path, os.ErrClosed)
}
