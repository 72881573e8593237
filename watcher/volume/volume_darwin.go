package volume

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// lasting are the file systems whose file ids stay the same from one mount to the next. Those of
// drives that a helper of the system reads, as FAT since macOS 13, do not.
var lasting = map[string]bool{"apfs": true, "hfs": true}

func volumeOf(root string) (Volume, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(root, &s); err != nil {
		return Volume{}, err
	}
	v := Volume{Network: s.Flags&unix.MNT_LOCAL == 0}
	v.Identity.FS = unix.ByteSliceToString(s.Fstypename[:])
	v.Lasting = !v.Network && lasting[v.Identity.FS]
	v.Changes = v.Lasting || v.Identity.FS == "smbfs" || v.Identity.FS == "nfs"
	if !v.Network {
		v.Identity.ID = uuidOf(&s.Mntonname[0])
	}
	return v, nil
}

// uuidOf is the UUID of the volume that is mounted at a place, or "" where it has none: f_fsid is the
// device's number, which changes from one start to the next.
func uuidOf(mount *byte) string {
	asked := unix.Attrlist{Bitmapcount: unix.ATTR_BIT_MAP_COUNT, Volattr: unix.ATTR_VOL_INFO | unix.ATTR_VOL_UUID}
	var told struct {
		length uint32
		uuid   [16]byte
	}
	_, _, failed := syscall.Syscall6(syscall.SYS_GETATTRLIST, uintptr(unsafe.Pointer(mount)), uintptr(unsafe.Pointer(&asked)),
		uintptr(unsafe.Pointer(&told)), unsafe.Sizeof(told), 0, 0)
	if failed != 0 || told.length != uint32(unsafe.Sizeof(told)) || told.uuid == [16]byte{} {
		return ""
	}
	return fmt.Sprintf("%x", told.uuid)
}
