package service

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// OnMappedDrive reports whether a path is on a drive that a service does not see. The letter of a
// network drive belongs to the person who mapped it. An administrator's terminal lacks it too: there
// it is a letter without a drive.
func OnMappedDrive(path string) bool {
	letter := filepath.VolumeName(path)
	if len(letter) != 2 {
		return false
	}
	root, err := windows.UTF16PtrFromString(letter + `\`)
	if err != nil {
		return false
	}
	kind := windows.GetDriveType(root)
	return kind == windows.DRIVE_REMOTE || kind == windows.DRIVE_NO_ROOT_DIR
}
