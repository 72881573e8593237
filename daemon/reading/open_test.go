package reading

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// aFile is a folder with one frame, and the frame's identity.
func aFile(t *testing.T, spoil ...func(path string) error) (folder *Folder, path string, file syncstate.File) {
	t.Helper()
	folder = aFolder(t, map[string]string{"1.jpg": "first"}, spoil...)
	return folder, filepath.Join(folder.Key.Root, folder.Key.Path, "1.jpg"), plan.FileOf(folder.Snapshot.Frames[0])
}

// writeAt writes a file that always has the same time.
func writeAt(t *testing.T, path, content string) os.FileInfo {
	t.Helper()
	then := time.Date(2027, 1, 2, 12, 0, 0, 0, time.UTC)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// swap puts another file of the same size and time in the place of a file.
func swap(t *testing.T, path string) {
	t.Helper()
	writeAt(t, path+".new", "other")
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// A frame is read only as the file of the snapshot, and not as another one of its name.
func TestOnlyTheFileOfTheSnapshotIsOpened(t *testing.T) {
	folder, path, file := aFile(t)
	for name, change := range map[string]func(*syncstate.File){
		"another size": func(f *syncstate.File) { f.Size++ },
		"another time": func(f *syncstate.File) { f.ModTime = f.ModTime.Add(1) },
		"another name": func(f *syncstate.File) { f.Name = "2.jpg" },
	} {
		other := file
		change(&other)
		if _, err := folder.OpenFrame(other); !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	opened, err := folder.OpenFrame(file)
	if err != nil {
		t.Fatal(err)
	}
	opened.Close()
	if file.ID == "" {
		t.Skip("this file system has no file ids")
	}
	swap(t, path)
	if _, err := folder.OpenFrame(file); !outcome.Is(err, outcome.Changed) {
		t.Errorf("another file: %v", err)
	}
}

// What was sent counts only if the name still leads to the file that was read.
func TestFileIsStillTheSame(t *testing.T) {
	for name, test := range map[string]struct {
		change func(t *testing.T, path string)
		same   bool
	}{
		"nothing":      {func(*testing.T, string) {}, true},
		"another file": {swap, false},
		"no file":      {func(t *testing.T, path string) { remove(t, path) }, false},
		"written to":   {func(t *testing.T, path string) { writeAt(t, path, "longer than first") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			folder, path, want := aFile(t)
			opened, err := folder.OpenFrame(want)
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			test.change(t, path)
			if err := folder.StillSame(opened, want); (err == nil) != test.same || err != nil && !outcome.Is(err, outcome.Changed) {
				t.Error(err)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
