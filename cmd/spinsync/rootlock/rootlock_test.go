package rootlock_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spinsync/cmd/spinsync/rootlock"
)

// TestOneProgramPerFolder: a program that has a folder keeps others from it and from the folders
// below, by any path, until it lets go. It writes nothing there.
func TestOneProgramPerFolder(t *testing.T) {
	above := t.TempDir()
	folder := filepath.Join(above, "shoots")
	below, beside := filepath.Join(folder, "Summer", "SKU-1"), filepath.Join(above, "other")
	for _, dir := range []string{below, beside} {
		must(t, os.MkdirAll(dir, 0o755))
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, link); err != nil {
		link = folder + string(filepath.Separator)
	}
	first, second := rootlock.Lock{State: "first.db"}, rootlock.Lock{State: "second.db"}
	must(t, first.Take(folder))
	me := fmt.Sprintf(`process %d, state file "first.db"`, os.Getpid())
	if runtime.GOOS != "linux" { // only Linux names the holder
		me = ""
	}
	for path, why := range map[string]string{
		folder: "is published by", link: "is published by",
		below: "lies below ", filepath.Join(link, "Summer"): "lies below ",
	} {
		for _, err := range []error{rootlock.Held(path, ""), second.Take(path)} {
			if !errors.Is(err, rootlock.ErrHeld) || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), me) {
				t.Errorf("%s while %s is held: %v", path, folder, err)
			}
		}
		must(t, second.Release())
	}
	must(t, rootlock.Held(beside, ""))
	must(t, second.Take(beside))
	must(t, second.Release())
	must(t, first.Release())
	must(t, second.Take(link))
	must(t, second.Release())
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

// A program gives way to one that takes a directory above its folder later, also where links and
// drives have moved the folder since. Its own folders do not stop it.
func TestFolderAboveIsTakenLater(t *testing.T) {
	above := t.TempDir()
	folder, aside := filepath.Join(above, "shoots"), filepath.Join(t.TempDir(), "shoots")
	must(t, os.Mkdir(aside, 0o755))
	lower, upper := rootlock.Lock{State: "lower.db"}, rootlock.Lock{State: "upper.db"}
	must(t, lower.Take(aside))
	must(t, upper.Take(above))
	must(t, lower.Check(aside))
	must(t, os.Rename(aside, folder))
	if err := lower.Check(folder); !errors.Is(err, rootlock.ErrHeld) || !strings.Contains(err.Error(), "lies below "+above) {
		t.Errorf("a directory above is taken: %v", err)
	}
	must(t, upper.Release())
	must(t, lower.Check(folder))
	must(t, lower.Take(above))
	must(t, lower.Check(folder))
	must(t, lower.Release())
}

// A folder that is not there is one by its path.
func TestFolderThatIsMissing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "drive", "shoots")
	var first, second rootlock.Lock
	must(t, first.Take(missing))
	if err := second.Take(missing); !errors.Is(err, rootlock.ErrHeld) {
		t.Errorf("a missing folder that is held: %v", err)
	}
	if err := first.Take(missing); !errors.Is(err, rootlock.ErrTwice) {
		t.Errorf("a missing folder, twice: %v", err)
	}
	must(t, second.Take(filepath.Join(t.TempDir(), "drive", "shoots")))
	must(t, second.Release())
	must(t, first.Release())
}

// One program watches nothing twice, however the paths are written.
func TestTwoPathsOfOneFolder(t *testing.T) {
	folder := t.TempDir()
	below, link := filepath.Join(folder, "Summer"), filepath.Join(t.TempDir(), "link")
	must(t, os.Mkdir(below, 0o755))
	if err := os.Symlink(folder, link); runtime.GOOS == "windows" && err != nil {
		t.Skip("Windows lets only some people make links: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][2]string{{folder, link}, {below, link}, {link, below}} {
		var l rootlock.Lock
		must(t, l.Take(paths[0]))
		if err := l.Take(paths[1]); !errors.Is(err, rootlock.ErrTwice) ||
			!strings.Contains(err.Error(), paths[0]) || !strings.Contains(err.Error(), paths[1]) {
			t.Errorf("%s beside %s: %v", paths[1], paths[0], err)
		}
		must(t, l.Release())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestProgramsOfOneFleet have the same folder on one computer, and keep others from it, the last of
// them too.
func TestProgramsOfOneFleet(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux names the holder")
	}
	folder := t.TempDir()
	first, second := rootlock.Lock{State: "a.db", Fleet: "nas"}, rootlock.Lock{State: "b.db", Fleet: "nas"}
	other, alone := rootlock.Lock{State: "c.db", Fleet: "elsewhere"}, rootlock.Lock{State: "d.db"}
	must(t, first.Take(folder))
	must(t, second.Take(folder))
	must(t, rootlock.Held(folder, "nas"))
	for _, fleet := range []string{"", "elsewhere"} {
		if err := rootlock.Held(folder, fleet); !errors.Is(err, rootlock.ErrHeld) {
			t.Errorf("for %q it is free: %v", fleet, err)
		}
	}
	for _, lock := range []*rootlock.Lock{&other, &alone} {
		if err := lock.Take(folder); !errors.Is(err, rootlock.ErrHeld) {
			t.Errorf("%s takes it: %v", lock.State, err)
		}
		must(t, lock.Release())
	}
	must(t, first.Release())
	must(t, second.Check(folder))
	if err := alone.Take(folder); !errors.Is(err, rootlock.ErrHeld) {
		t.Errorf("it is free although one of the fleet has it: %v", err)
	}
	must(t, errors.Join(alone.Release(), second.Release()))
}
