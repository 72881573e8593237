package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"spinsync/watcher/names"
	"spinsync/watcher/nofollow"
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

// TestSharedRoot: computers that see the files with other numbers, and with times as another protocol
// has them, find the same folder.
func TestSharedRoot(t *testing.T) {
	root := t.TempDir()
	name := filepath.Join(root, "SKU-1", "frame_01.jpg")
	rules, err := names.New([]string{"*.jpg"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1e9, 300_000_000)
	seen := func(shared bool) listing {
		t.Helper()
		if err := errors.Join(os.RemoveAll(filepath.Dir(name)), os.MkdirAll(filepath.Dir(name), 0o755),
			os.WriteFile(name, nil, 0o644), os.Chtimes(name, time.Time{}, at)); err != nil {
			t.Fatal(err)
		}
		at = at.Add(500 * time.Millisecond)
		on, err := volume.Survey(root)
		if err != nil {
			t.Fatal(err)
		}
		l, err := newDisk(Root{Path: root, Depth: 1, Shared: shared}, rules).readFolder("SKU-1", on, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if here, there := seen(true), seen(true); here.print != there.print {
		t.Error("a folder of a shared root is another one for each computer")
	}
	if before, after := seen(false), seen(false); before.print == after.print {
		t.Error("a folder of one computer alone is the same after its file changed")
	}
}

// TestNamesOnAMac: where names are listed decomposed, a fleet knows folders and files by the composed ones,
// as its other stations do.
func TestNamesOnAMac(t *testing.T) {
	root := t.TempDir()
	const composed, decomposed = "caf\u00e9", "cafe\u0301"
	if err := errors.Join(os.MkdirAll(filepath.Join(root, decomposed), 0o755), os.MkdirAll(filepath.Join(root, "SKU-1"), 0o755),
		os.WriteFile(filepath.Join(root, "SKU-1", decomposed+".jpg"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	rules, err := names.New([]string{"*.jpg"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	on, err := volume.Survey(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, composes := range []bool{false, true} {
		want := decomposed
		d := newDisk(Root{Path: root, Depth: 1}, rules)
		if d.composes = composes; composes {
			want = composed
			d.stat = func(at nofollow.Dir, name string) (nofollow.Attrs, error) { return at.Stat(norm.NFD.String(name)) } // a Mac finds either
		}
		l, err := d.readFolder("SKU-1", on, nil, nil)
		if err != nil || len(l.files[names.Frame]) != 1 || l.files[names.Frame][0].Name != want+".jpg" {
			t.Errorf("composed %t: %v, %v", composes, l.files[names.Frame], err)
		}
		entries, err := d.entries(".")
		if err != nil || !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == want }) {
			t.Errorf("composed %t: %v, %v", composes, entries, err)
		}
	}
}
