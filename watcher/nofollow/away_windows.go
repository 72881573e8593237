package nofollow

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/windows"
)

// away are the attributes of a file whose content is elsewhere: OneDrive, Dropbox and archives set
// them (learn.microsoft.com/windows/win32/fileio/file-attribute-constants).
const away = windows.FILE_ATTRIBUTE_OFFLINE | windows.FILE_ATTRIBUTE_RECALL_ON_OPEN |
	windows.FILE_ATTRIBUTE_RECALL_ON_DATA_ACCESS

func isAway(info fs.FileInfo) bool {
	data, ok := info.Sys().(*syscall.Win32FileAttributeData)
	return ok && data.FileAttributes&away != 0
}

// IO_REPARSE_TAG_CLOUD has fifteen variants, one for each kind of provider.
const (
	cloudTag      = 0x9000001A
	cloudVariants = 0x0000F000
)

// isRegular counts the files of a cloud too, on the disk or not, which are irregular for Go.
func isRegular(path string, info fs.FileInfo) bool {
	if info.Mode().Type() != fs.ModeIrregular {
		return info.Mode().IsRegular()
	}
	found, err := find(path)
	return err == nil && found.Reserved0&^cloudVariants == cloudTag
}

// find reads one entry from the listing of its directory.
func find(path string) (found windows.Win32finddata, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return found, err
	}
	search, err := windows.FindFirstFile(name, &found)
	if err != nil {
		return found, &fs.PathError{Op: "find", Path: path, Err: err}
	}
	return found, windows.FindClose(search)
}
