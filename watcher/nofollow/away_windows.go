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

// Windows may hide from a program that a cloud has a file, unless the program asks for it
// (learn.microsoft.com/windows/win32/cfapi/build-a-cloud-file-sync-engine, "Compatibility with
// applications that use reparse points"). Before Windows 10 1803 nobody can ask.
func init() {
	const expose = 2
	if set := ntdll.NewProc("RtlSetProcessPlaceholderCompatibilityMode"); set.Find() == nil {
		_, _, _ = set.Call(expose)
	}
}

var ntdll = windows.NewLazySystemDLL("ntdll.dll")

func isAway(info fs.FileInfo) bool {
	data, ok := info.Sys().(*syscall.Win32FileAttributeData)
	return ok && data.FileAttributes&away != 0
}

// IsRegular reports whether a path of this mode is that of a regular file. The files of clouds and
// archives are, on the disk or not, though they are irregular for Go.
func IsRegular(path string, mode fs.FileMode) bool {
	if mode.Type() != fs.ModeIrregular {
		return mode.IsRegular()
	}
	found, err := find(path)
	return err == nil && !isSurrogate(found.Reserved0)
}

// isSurrogate reports whether the tag of a reparse point means that something else is named, as by
// a link (learn.microsoft.com/windows/win32/fileio/reparse-point-tags).
func isSurrogate(tag uint32) bool { return tag&0x20000000 != 0 }

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
