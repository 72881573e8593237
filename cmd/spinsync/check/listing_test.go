package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/config"
)

// put makes files without content, and a root with them.
func put(t *testing.T, files ...string) config.Watch {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	return config.Watch{Path: root, Include: []string{"*.jpg"}}
}

func list(t *testing.T, w config.Watch) Listing {
	t.Helper()
	found, err := List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestListTakesTheDaemonsNames: what the daemon does not take leads to no advice, and a directory
// that cannot be read hides no other.
func TestListTakesTheDaemonsNames(t *testing.T) {
	w := put(t, "Summer/SKU-1/a.JPG", "Summer/SKU-1/b.jpg", "Summer/SKU-1/b.jpg.part", "Summer/SKU-1/note.txt",
		"Summer/SKU-2/a.jpg", "Summer/.trash/a.jpg", "lost+found/a.jpg", "Private/a.jpg", "Raw/SKU-3/a.cr3", "Barred/a.jpg")
	w.Ignore = []string{"/private/"}
	barred := filepath.Join(w.Path, "Barred")
	t.Cleanup(func() { os.Chmod(barred, 0o755) })
	if err := os.Chmod(barred, 0); err != nil {
		t.Fatal(err)
	}
	want := Listing{{"Summer/SKU-1", 2}, {"Summer/SKU-2", 1}}
	if _, err := os.ReadDir(barred); err == nil { // root, or Windows
		want = append(Listing{{"Barred", 1}}, want...)
	}
	if got := list(t, w); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// TestListFollowsARootThatIsALink, as the daemon does.
func TestListFollowsARootThatIsALink(t *testing.T) {
	w := put(t, "SKU-1/a.jpg")
	link := filepath.Join(t.TempDir(), "shoots")
	if err := os.Symlink(w.Path, link); err != nil {
		t.Skip(err)
	}
	w.Path = link
	if got := list(t, w); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

// TestListStopsInALargeTree: a directory after so many others is not read.
func TestListStopsInALargeTree(t *testing.T) {
	w := put(t, "0/a.jpg", "z/a.jpg")
	for i := range enough {
		if err := os.Mkdir(filepath.Join(w.Path, fmt.Sprintf("SKU-%d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, w); !slices.Equal(got, Listing{{"0", 1}}) {
		t.Errorf("found %v", got)
	}
}

// TestListingLayout: the layout is read off where most photos lie.
func TestListingLayout(t *testing.T) {
	for want, files := range map[string][]string{
		"{project}/{sku}":     {"Summer/SKU-1/a.jpg", "Summer/SKU-2/a.jpg", "SKU-3/a.jpg", "a.jpg"},
		"{sku}":               {"SKU-1/a.jpg", "SKU-2/a.jpg", "a.jpg"},
		"*/{project}/{sku}":   {"2026/Summer/SKU-1/a.jpg", "2026/Summer/SKU-2/a.jpg", "Summer/SKU-3/a.jpg"},
		"*/*/{project}/{sku}": {"Anna/2026/Summer/SKU-1/a.jpg"},
		"":                    {"a.jpg", "b.jpg", "old/a.jpg"},
	} {
		if got := list(t, put(t, files...)).Layout(); got != want {
			t.Errorf("%v: %q, want %q", files, got, want)
		}
	}
	if got := (Listing{}).Layout(); got != "{project}/{sku}" {
		t.Errorf("without photos: %q", got)
	}
}

// TestUsualCount: the number of photos is that of more than half of the folders. One folder may
// still be shot, and one photo in each is a shoot that has begun.
func TestUsualCount(t *testing.T) {
	for _, test := range []struct {
		photos []int
		want   int
	}{
		{nil, 0}, {[]int{36}, 0}, {[]int{1, 1, 1}, 0}, {[]int{36, 24}, 0}, {[]int{12, 36, 36}, 36},
		{[]int{36, 36}, 36}, {[]int{36, 36, 24, 24}, 0},
	} {
		var l Listing
		for _, n := range test.photos {
			l = append(l, Folder{Photos: n})
		}
		if got := l.UsualCount(); got != test.want {
			t.Errorf("%v: %d, want %d", test.photos, got, test.want)
		}
	}
}

// TestDeadDriveEndsNoCheck: a folder whose drive never answers is told, and holds up nothing.
func TestDeadDriveEndsNoCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alive := make(chan struct{})
		err := readable("/mnt/shoots", "", func() error {
			select {
			case <-alive:
			case <-time.After(time.Hour):
			}
			return nil
		})
		close(alive)
		if err == nil || !strings.Contains(err.Error(), "/mnt/shoots: it does not answer; check the drive") {
			t.Errorf("it is read: %v", err)
		}
	})
}
