package watcher

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"spinsync/watcher/names"
	"spinsync/watcher/volume"
)

// Nothing is believed of a folder once its root is another directory than the one that was surveyed:
// after a drive has gone, a folder of the same name may lie below its mount point.
func TestFolderOfAnotherRoot(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a root is not told apart by its directory there")
	}
	root := filepath.Join(t.TempDir(), "shoots")
	makeFolder := func() {
		if err := os.MkdirAll(filepath.Join(root, "SKU-1"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	makeFolder()
	rules, err := names.New([]string{"*.jpg"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	on, err := volume.Survey(root)
	if err != nil {
		t.Fatal(err)
	}
	d := newDisk(Root{Path: root, Depth: 1}, rules)
	if _, err := d.readFolder("SKU-1", on, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"SKU-1", "SKU-2"} {
		if err := os.Rename(root, root+" that had "+folder); err != nil {
			t.Fatal(err)
		}
		makeFolder()
		if _, err := d.readFolder(folder, on, nil, nil); !errors.Is(err, errMoved) {
			t.Errorf("of %s below another root it finds out %v", folder, err)
		}
	}
}
