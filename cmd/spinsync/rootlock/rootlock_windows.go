package rootlock

import (
	"errors"
	"strings"

	"golang.org/x/sys/windows"
)

func folded(path string) string { return strings.ToLower(path) }

// hold makes a mutex that all sessions see. It goes with its last handle, and does not name its
// holder.
func hold(name string, _ holder) (h heldName, by holder, err error) {
	global, err := objectName(name)
	if err != nil {
		return heldName{}, holder{}, err
	}
	mutex, err := windows.CreateMutex(nil, false, global)
	switch {
	case errors.Is(err, windows.ERROR_ALREADY_EXISTS):
		return heldName{}, holder{}, errors.Join(ErrHeld, windows.CloseHandle(mutex))
	case errors.Is(err, windows.ERROR_ACCESS_DENIED): // it is another user's
		return heldName{}, holder{}, ErrHeld
	case err != nil:
		return heldName{}, holder{}, err
	}
	return heldName{release: func() error { return windows.CloseHandle(mutex) }}, holder{}, nil
}

func objectName(name string) (*uint16, error) {
	return windows.UTF16PtrFromString(`Global\` + systemName(name))
}

// find reports whether a name is held.
func find(name string) (by holder, held bool) {
	global, err := objectName(name)
	if err != nil {
		return holder{}, false
	}
	mutex, err := windows.OpenMutex(windows.SYNCHRONIZE, false, global)
	if err == nil {
		_ = windows.CloseHandle(mutex)
	}
	return holder{}, err == nil || errors.Is(err, windows.ERROR_ACCESS_DENIED)
}
