package reading

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// TestProductFile: the folder's product.toml counts as it is now. One that is taken away has no
// effect any more after a moment, a wrong one is named for as long as it is there, and one that cannot
// be read is no withdrawn one. One that is being written is waited for.
func TestProductFile(t *testing.T) {
	folder, frame, _ := aFile(t)
	path := filepath.Join(filepath.Dir(frame), productFileName)
	stands := func(content string) {
		info := writeAt(t, path, content)
		folder.Snapshot.Sidecars = []watcher.File{
			{Name: "alt.csv"}, {Name: productFileName, Size: info.Size(), ModTime: info.ModTime(), ID: volume.FileIDOf(info), Still: true},
		}
	}
	remove := func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what, title, mistake string) {
		t.Helper()
		err := folder.readProductFile()
		if (err == nil) != (mistake == "") || err != nil && !strings.HasPrefix(err.Error(), mistake) || folder.product.says.Title != title {
			t.Errorf("%s: title %q, %v", what, folder.product.says.Title, err)
		}
	}
	check("without one", "", "")
	stands(`title = "Kettle"`)
	check("a file", "Kettle", "")
	stands(`title = "A pot"`)
	check("another one", "A pot", "")
	stands(`title = "A po`)
	folder.Snapshot.Sidecars[1].Still = false
	check("one that is being written", "A pot", "product.toml is being written")
	stands(`title = "A pot"`)
	folder.Snapshot.Sidecars[1].Still = false
	check("written as it was", "A pot", "")
	folder.Snapshot.Sidecars = nil
	folder.Root.Rules.Settle = time.Hour
	check("taken away just now", "A pot", "product.toml is being written")
	folder.Root.Rules.Settle, folder.Root.Rules.Quiet = 0, time.Hour
	check("taken away for less than quiet", "A pot", "product.toml is being written")
	folder.Root.Rules.Quiet = 0
	check("taken away", "", "")
	stands(`tilte = "Kettle"`)
	check("a mistake", "", "product.toml: line 1")
	remove()
	check("the same again, unread", "", "product.toml: line 1")
	stands(`title = "Teapot 2"`)
	writeAt(t, path, `title = "Teapot 22"`)
	if err := folder.readProductFile(); !errors.Is(err, products.ErrBeingWritten) {
		t.Errorf("written since the watcher looked: %v", err)
	}
	remove()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := folder.readProductFile(); !errors.As(err, new(plan.UnreadError)) || !strings.Contains(err.Error(), productFileName) {
		t.Errorf("not to be read: %v", err)
	}
}

// TestProductFileInAnotherSpelling: letter case does not count in the name, as on the drives of most
// studios. Where there are two, the usual spelling counts.
func TestProductFileInAnotherSpelling(t *testing.T) {
	folder := aFolder(t, nil)
	sidecars := func(names ...string) {
		folder.Snapshot.Sidecars = nil
		for _, name := range names {
			folder.Snapshot.Sidecars = append(folder.Snapshot.Sidecars, put(t, folder, name, "title = \""+name+"\""))
		}
	}
	for want, names := range map[string][]string{
		"Product.toml": {"Product.toml", "a.txt"}, "PRODUCT.TOML": {"PRODUCT.TOML"}, "product.toml": {"Product.toml", "product.toml"},
	} {
		sidecars(names...)
		if err := folder.readProductFile(); err != nil || folder.product.says.Title != want {
			t.Errorf("of %v: %q, %v", names, folder.product.says.Title, err)
		}
	}
}
