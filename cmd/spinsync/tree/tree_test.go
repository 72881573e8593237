package tree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"spinsync/watcher"
)

// The layout that setup chooses is read off where most photos lie.
func TestLayout(t *testing.T) {
	for want, files := range map[string][]string{
		"{project}/{sku}":     {"Summer/SKU-1/a.jpg", "Summer/SKU-2/a.JPG", "Summer/.trash/deep/er/a.jpg"},
		"{sku}":               {"SKU-1/a.jpg", "SKU-2/a.jpg", "readme.txt"},
		"*/{project}/{sku}":   {"2026/Summer/SKU-1/a.jpg", "2026/Summer/SKU-2/a.jpg", "Summer/SKU-3/a.jpg"},
		"*/*/{project}/{sku}": {"Anna/2026/Summer/SKU-1/a.jpg"},
		"":                    {"a.jpg", "b.jpg"},
	} {
		root := t.TempDir()
		for _, name := range files {
			path := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		seen, err := Look(t.Context(), watcher.Root{Path: root, Include: []string{"*.jpg"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := seen.Layout(); got != want {
			t.Errorf("%v: got %q, want %q", files, got, want)
		}
	}
	nothing, err := Look(t.Context(), watcher.Root{Path: t.TempDir(), Include: []string{"*.jpg"}})
	if got := nothing.Layout(); got != "{project}/{sku}" || err != nil {
		t.Errorf("an empty folder: got %q, %v", got, err)
	}
}

// TestHiddenDirectoriesAreNotEntered: a directory that the daemon never enters leads to no advice.
func TestHiddenDirectoriesAreNotEntered(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"Summer/SKU-1", "lost+found", "System Volume Information", "Private"} {
		dir = filepath.Join(root, filepath.FromSlash(dir))
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "a.jpg"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	private := filepath.Join(root, "lost+found")
	t.Cleanup(func() { os.Chmod(private, 0o755) })
	if err := os.Chmod(private, 0); err != nil {
		t.Fatal(err)
	}
	seen, err := Look(t.Context(), watcher.Root{Path: root, Include: []string{"*.jpg"}, Ignore: []string{"/private/"}})
	if err != nil || len(seen.Barred) > 0 || seen.Dirs != 3 || len(seen.Folders) != 1 {
		t.Errorf("barred %v, %d directories entered, with photos %v, %v", seen.Barred, seen.Dirs, seen.Folders, err)
	}
}

// The number of photos is that of more than half of the folders. One folder may still be shot, and
// one photo in each is a shoot that has begun.
func TestUsualCount(t *testing.T) {
	for _, test := range []struct {
		photos []int
		want   int
	}{{nil, 0}, {[]int{36}, 0}, {[]int{1, 1, 1}, 0}, {[]int{36, 24}, 0}, {[]int{12, 36, 36}, 36}, {[]int{36, 36}, 36}, {[]int{36, 36, 24, 24}, 0}} {
		var seen Tree
		for _, n := range test.photos {
			seen.Folders = append(seen.Folders, Folder{Photos: n})
		}
		if got := seen.UsualCount(); got != test.want {
			t.Errorf("%v: %d, want %d", test.photos, got, test.want)
		}
	}
}
