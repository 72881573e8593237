package service

import (
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// NetworkPlace returns where a path on a mapped drive lies, as in //nas/shoots. The letters belong to whoever mapped them;
// the service does not see them. Elsewhere it returns "".
func NetworkPlace(path string) string {
	drive := filepath.VolumeName(path)
	if len(drive) != 2 {
		return ""
	}
	local, err := windows.UTF16PtrFromString(drive)
	if err != nil {
		return ""
	}
	remote := make([]uint16, windows.MAX_PATH)
	length := uint32(len(remote))
	getConnection := windows.NewLazySystemDLL("mpr.dll").NewProc("WNetGetConnectionW")
	failed, _, _ := getConnection.Call(
		uintptr(unsafe.Pointer(local)), uintptr(unsafe.Pointer(&remote[0])), uintptr(unsafe.Pointer(&length)))
	if failed != 0 {
		return ""
	}
	return filepath.ToSlash(windows.UTF16ToString(remote) + path[len(drive):])
}
