package reading

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// aFile is a folder with one file, and the file's identity. The readings of the file may be spoiled.
func aFile(t *testing.T, spoil ...func(path string) error) (folder *Folder, path string, file syncstate.File) {
	t.Helper()
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	path = filepath.Join(key.Root, key.Path, "1.jpg")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	info := writeAt(t, path, "first")
	root := watcher.Root{Path: key.Root, Depth: 1, Settle: time.Second, Include: []string{"*.jpg"}}
	if len(spoil) > 0 {
		root.Spoil = spoil[0]
	}
	all, err := watcher.New([]watcher.Root{root}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file = syncstate.File{Name: "1.jpg", Size: info.Size(), ModTime: info.ModTime(), ID: plan.FileID(volume.FileIDOf(info))}
	return New(Files{Watcher: all}, key, &Root{Readers: make(chan struct{}, 1)}), path, file
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
		t.Skip("this file system tells no files apart")
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

// The content of a file decides its media type, and a reading of another file of its name decides
// nothing.
func TestMediaTypeOfTheVeryFile(t *testing.T) {
	folder, _, file := aFile(t)
	opened, err := folder.OpenFrame(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	older := file
	older.ModTime = file.ModTime.Add(-time.Second)
	for name, test := range map[string]struct {
		read  syncstate.File
		knows bool
	}{"this file": {file, true}, "an older one": {older, false}} {
		s := plan.Scene{Readings: map[string]plan.Reading{file.Name: {File: test.read, Content: "image/png"}}}
		if content, _ := ContentType(s, opened, file); (content == "image/png") != test.knows {
			t.Errorf("with a reading of %s the type is %q", name, content)
		}
	}
}
