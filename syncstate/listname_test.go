package syncstate

import (
	"strings"
	"testing"
)

// What is wrong in the list of a folder names root and folder as people write them.
func TestDamageNamesTheFolder(t *testing.T) {
	folder := Folder{Root: "/srv/photos", Path: "Summer/SKU-1"}
	_, err := list{}.named(folder.key()).unseal([]byte("frame_01.jpg"), []byte("something"))
	if err == nil || !strings.Contains(err.Error(), "/srv/photos/Summer/SKU-1") {
		t.Error(err)
	}
}
