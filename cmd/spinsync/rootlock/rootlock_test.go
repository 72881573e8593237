package rootlock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"spinsync/cmd/spinsync/rootlock"
)

// TestOneProgramPerFolder: whoever has a folder keeps others from it by whatever path, until it lets go, and writes nothing there.
func TestOneProgramPerFolder(t *testing.T) {
	folder := t.TempDir()
	other := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(folder, other); err != nil {
		other = folder + string(filepath.Separator)
	}
	var first, second rootlock.Lock
	must(t, first.Take(folder))
	must(t, second.Take(filepath.Join(folder, "another")))
	if err := second.Take(other); !errors.Is(err, rootlock.ErrHeld) {
		t.Errorf("a folder that is held: %v", err)
	}
	must(t, first.Release())
	must(t, second.Take(other))
	must(t, second.Release())
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
