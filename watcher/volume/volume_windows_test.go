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
