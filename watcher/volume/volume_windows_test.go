package volume

import (
	"testing"

	"golang.org/x/sys/windows"
)

// Directories of a drive without ids are not one and the same.
func TestDirectoryWithoutID(t *testing.T) {
	for index, want := range map[[2]uint32]string{{0, 7}: "a-0-7", {7, 0}: "a-7-0", {}: "", {0xffffffff, 0xffffffff}: ""} {
		id, err := idOf(windows.ByHandleFileInformation{VolumeSerialNumber: 10, FileIndexHigh: index[0], FileIndexLow: index[1]})
		if id != want || (err == nil) != (want != "") {
			t.Errorf("of %x it is %q, %v", index, id, err)
		}
	}
}

// A drive that a program such as rclone provides is not a disk of this computer.
func TestDirectoryOfAMadeUpDrive(t *testing.T) {
	first, later := windows.ByHandleFileInformation{VolumeSerialNumber: 1}, windows.ByHandleFileInformation{VolumeSerialNumber: 2}
	made, again := identified("FUSE-rclone", false, first), identified("FUSE-rclone", false, later)
	if why := made.Identity.Differs(again.Identity); why != "" || !made.Network {
		t.Errorf("it %s; on the network: %v", why, made.Network)
	}
	disk, other := identified("exFAT", false, first), identified("exFAT", false, later)
	if disk.Identity.Differs(other.Identity) == "" || disk.Network {
		t.Errorf("another disk is the same; on the network: %v", disk.Network)
	}
	here, err := Survey(`C:\`)
	if err != nil || here.Network || here.Identity.ID == "" {
		t.Errorf("the disk of this machine: %+v, %v", here, err)
	}
}
