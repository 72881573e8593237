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
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return false
	}
	var found windows.Win32finddata
	search, err := windows.FindFirstFile(name, &found)
	if err != nil {
		return false
	}
	_ = windows.FindClose(search)
	return found.Reserved0&^cloudVariants == cloudTag
}
