package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Trouble says why a folder cannot be watched, nil when it can. correct is how another one is
// named.
func Trouble(path, correct string) error {
	_, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && noDrive(path):
		return fmt.Errorf(
			"%s: there is no such drive here; plug it in, or write //server/share for a drive that a person mapped: "+
				"services and terminals of an administrator do not see it", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no such folder; mount the drive, or %s", path, correct)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: this user may not read it; give it the right, or run spinsync as another user", path)
	}
	return err
}

// noDrive reports whether a path begins with a drive letter, of Windows, that does not exist.
func noDrive(path string) bool {
	drive := filepath.VolumeName(path)
	if drive == "" {
		return false
	}
	_, err := os.Stat(drive + string(filepath.Separator))
	return len(drive) == 2 && errors.Is(err, fs.ErrNotExist)
}
