package rootlock

import (
	"errors"
	"strings"

	"golang.org/x/sys/windows"
)

func folded(path string) string { return strings.ToLower(path) }

// hold makes a mutex that all sessions see. It goes with its last handle.
func hold(name string) (release func() error, holder string, err error) {
	global, err := windows.UTF16PtrFromString(`Global\` + name)
	if err != nil {
		return nil, "", err
	}
	mutex, err := windows.CreateMutex(nil, false, global)
	switch {
	case errors.Is(err, windows.ERROR_ALREADY_EXISTS):
		return nil, "", errors.Join(ErrHeld, windows.CloseHandle(mutex))
	case errors.Is(err, windows.ERROR_ACCESS_DENIED): // it is another user's
		return nil, "", ErrHeld
	case err != nil:
		return nil, "", err
	}
	return func() error { return windows.CloseHandle(mutex) }, "", nil
}
