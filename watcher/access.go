package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"spinsync/watcher/volume"
)

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
