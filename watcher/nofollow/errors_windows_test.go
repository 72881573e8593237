package nofollow

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// A server that does not answer has taken no file away.
func TestGoneAndBusy(t *testing.T) {
	_, nothing := os.Lstat(filepath.Join(os.TempDir(), "no such directory", "1.jpg"))
	for _, test := range []struct {
		err        error
		gone, busy bool
	}{
		{nothing, true, false},
		{windows.ERROR_FILE_NOT_FOUND, true, false},
		{windows.ERROR_PATH_NOT_FOUND, true, false},
		{windows.ERROR_BAD_NETPATH, false, false},
		{windows.ERROR_BAD_NET_NAME, false, false},
		{windows.ERROR_SHARING_VIOLATION, false, true},
		{windows.ERROR_LOCK_VIOLATION, false, true},
	} {
		err := &fs.PathError{Op: "open", Path: "1.jpg", Err: test.err}
		if gone, busy := IsGone(err), IsBusy(err); gone != test.gone || busy != test.busy {
			t.Errorf("%v (not there for Go: %v): gone %v, busy %v", test.err, errors.Is(err, fs.ErrNotExist), gone, busy)
		}
	}
}
