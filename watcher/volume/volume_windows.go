package volume

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/windows"
)

// volumeOf asks through a handle without any access right. Other programs can still rename or
// remove the root.
func volumeOf(root string) (Volume, error) {
	h, info, err := openAttributes(root)
	if err != nil {
		return Volume{}, err
	}
	defer windows.CloseHandle(h)
	return identified(fileSystemOf(h), remote(root), info), nil
}

// disks are the file systems of disks. Windows counts others among them too: of rclone and of sshfs,
// which have another serial number after each mount, and report no change that others make.
var disks = map[string]bool{
	"NTFS": true, "ReFS": true, "FAT": true, "FAT32": true, "exFAT": true, "UDF": true, "CDFS": true,
}

func identified(fs string, remote bool, info windows.ByHandleFileInformation) Volume {
	v := Volume{Network: remote || !disks[fs], Identity: Identity{FS: fs}}
	v.Lasting = !v.Network && fs == "NTFS"
	if !v.Network {
		v.Identity.ID = fmt.Sprintf("%08x", info.VolumeSerialNumber)
	}
	if v.Lasting {
		v.Identity.Root = FileID(uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow))
	}
	return v
}

// DirectoryID is the same for all paths of a directory.
func DirectoryID(dir string) (string, error) {
	h, info, err := openAttributes(dir)
	if err != nil {
		return "", err
	}
	defer windows.CloseHandle(h)
	return idOf(info)
}

// idOf is an error where the file system has no ids, as some network drives: then each directory
// has 0. A directory of which no id of 64 bits can be had, on ReFS, has ones alone.
func idOf(info windows.ByHandleFileInformation) (string, error) {
	if info.FileIndexHigh == info.FileIndexLow && (info.FileIndexLow == 0 || info.FileIndexLow == math.MaxUint32) {
		return "", errNoID
	}
	return fmt.Sprintf("%x-%x-%x", info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow), nil
}

var errNoID = errors.New("the directory has no id")

func openAttributes(path string) (h windows.Handle, info windows.ByHandleFileInformation, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, info, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err = windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return 0, info, err
	}
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return 0, info, errors.Join(err, windows.CloseHandle(h))
	}
	return h, info, nil
}

// fileSystemOf gives "" when the system does not know it.
func fileSystemOf(h windows.Handle) string {
	var name [64]uint16
	if windows.GetVolumeInformationByHandle(h, nil, 0, nil, nil, nil, &name[0], uint32(len(name))) != nil {
		return ""
	}
	return windows.UTF16ToString(name[:])
}

// remote counts everything as a network drive that is not known to be in this machine:
// \\server\share and letters mapped to one included.
func remote(path string) bool {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return true
	}
	var volume [windows.MAX_PATH + 1]uint16
	if windows.GetVolumePathName(name, &volume[0], uint32(len(volume))) != nil {
		return true
	}
	switch windows.GetDriveType(&volume[0]) {
	case windows.DRIVE_FIXED, windows.DRIVE_REMOVABLE, windows.DRIVE_CDROM, windows.DRIVE_RAMDISK:
		return false
	}
	return true
}
