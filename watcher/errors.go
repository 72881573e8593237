package watcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"spinsync/watcher/nofollow"
	"spinsync/watcher/volume"
)

// ErrGone means that a file or directory is not there.
var ErrGone = nofollow.ErrGone

// ErrNoDir means that something else is there, such as a link, and no directory. It IsGone too.
var ErrNoDir = nofollow.ErrNoDir

// IsGone reports whether an error of something below a root means that it is not there. Below a
// root, use it in place of fs.ErrNotExist.
func IsGone(err error) bool { return nofollow.IsGone(err) }

// IsBusy reports whether an error of something below a root means that another program holds it.
func IsBusy(err error) bool { return nofollow.IsBusy(err) }

// HeldByOther is why a file cannot be read that is busy.
const HeldByOther = "another program holds it, and lets nobody read it"

// An AccessError means that the account of this process may not read something. Only a person can
// change that.
type AccessError struct {
	Path string // the file or directory that bars the way
	Dir  string // the directory to be opened: Path itself, or the one in which the file lies
	Own  bool   // it belongs to the account, so that its mode decides and no access list
	Err  error
}

func (e *AccessError) Error() string { return e.Path + " cannot be read by this account" }

func (e *AccessError) Unwrap() error { return e.Err }

// Access turns the refusal of a path, which is absolute, into an *AccessError. Every other error
// stays as it is.
func Access(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) || denied(err) != nil {
		return err
	}
	for place := path; ; place = filepath.Dir(place) {
		info, stat := os.Lstat(place)
		if stat == nil || place == filepath.Dir(place) {
			dir := place
			if stat == nil && !info.IsDir() {
				dir = filepath.Dir(place)
			}
			return &AccessError{Path: place, Dir: dir, Own: stat == nil && volume.IsOwn(info), Err: err}
		}
	}
}

// denied is the *AccessError in an error, or nil.
func denied(err error) *AccessError {
	e, _ := errors.AsType[*AccessError](err)
	return e
}

// A MisplacedError means that photos lie in a directory that is no product folder by its depth.
type MisplacedError struct {
	Photos int
	First  string // the name of one
}

func (e *MisplacedError) Error() string {
	return fmt.Sprintf("holds %d photos and is no product folder", e.Photos)
}

// A NameError means that the system takes the name of a directory for another one, so that nothing
// below it can be read.
type NameError struct{}

func (e *NameError) Error() string { return mistaken }

// A MountError is why a folder cannot be read: at its directory, or at one above it, the drive that
// was mounted is away or replaced. Accept believes what is there now.
type MountError struct {
	Dir string // the mount point
	Why string // completes the sentence that begins with it
}

func (e *MountError) Error() string { return e.Dir + " " + e.Why }
