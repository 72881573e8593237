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

// ErrGone says that nothing is where something is looked for.
var ErrGone = nofollow.ErrGone

// IsGone reports whether an error of something below a root says that it is not there. Nobody asks
// for fs.ErrNotExist there.
func IsGone(err error) bool { return nofollow.IsGone(err) }

// IsBusy reports whether an error of something below a root says that another program holds it.
func IsBusy(err error) bool { return nofollow.IsBusy(err) }

// HeldByOther is why a file cannot be read that is busy.
const HeldByOther = "another program holds it, and lets nobody read it"

// An AccessError says that the account of this process may not read something. Only a person can
// change that.
type AccessError struct {
	Path string // the file or directory that bars the way
	Dir  string // the directory to be opened: Path itself, or the one in which the file lies
	Own  bool   // it belongs to the account, so that its mode decides and no access list
	Err  error
}

func (e *AccessError) Error() string { return e.Path + " may not be read by this account" }

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

// A MisplacedError says that photos lie in a directory that is no product folder by its depth.
type MisplacedError struct {
	Photos int
	First  string // the name of one
}

func (e *MisplacedError) Error() string {
	return fmt.Sprintf("holds %d photos and is no product folder", e.Photos)
}

// A NameError says that the system takes the name of a directory for another one, so that nothing
// below it can be read.
type NameError struct{}

func (e *NameError) Error() string { return mistaken }

// A MountError is why a folder cannot be read on whose directory, or on one above it, something
// else stands than the drive that was mounted there. Accept believes what stands there.
type MountError struct {
	Dir string // the mount point
	Why string // completes the sentence that begins with it
}

func (e *MountError) Error() string { return e.Dir + " " + e.Why }
