package service

import (
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// NetworkPlace returns where a path on a mapped drive lies, as in //nas/shoots. Each letter belongs
// to the person who mapped it. The service does not see it, and neither does an administrator's
// terminal: there the letters that are mapped anew at each logon are read from the registry.
// Elsewhere it returns "".
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
	place := windows.UTF16ToString(remote)
	if failed != 0 {
		place = mappedAtLogon(drive)
	}
	if place == "" {
		return ""
	}
	return filepath.ToSlash(place + path[len(drive):])
}

// mappedAtLogon returns the share behind a drive letter that this session lacks and a person's
// logon maps. It returns "" when the registry knows no such letter.
func mappedAtLogon(drive string) string {
	root, err := windows.UTF16PtrFromString(drive + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_NO_ROOT_DIR {
		return ""
	}
	if place := remotePath(registry.CURRENT_USER, "Network", drive); place != "" {
		return place
	}
	people, err := registry.USERS.ReadSubKeyNames(-1)
	if err != nil {
		return ""
	}
	for _, person := range people {
		if place := remotePath(registry.USERS, person+`\Network`, drive); place != "" {
			return place
		}
	}
	return ""
}

func remotePath(hive registry.Key, path, drive string) string {
	key, err := registry.OpenKey(hive, path+`\`+drive[:1], registry.QUERY_VALUE)
	if err != nil {
		return ""
	}
	defer key.Close()
	place, _, err := key.GetStringValue("RemotePath")
	if err != nil {
		return ""
	}
	return place
}
