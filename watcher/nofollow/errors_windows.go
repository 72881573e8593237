package nofollow

import "golang.org/x/sys/windows"

var (
	gone = []error{windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND}
	busy = []error{windows.ERROR_SHARING_VIOLATION, windows.ERROR_LOCK_VIOLATION}
)
