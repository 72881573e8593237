package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/cmd/spinsync/tree"
	"spinsync/daemon/config"
)

// TestFolderThatIsBeingShotIsNoMistake: what a folder lacks whose newest photo is young may still
// come.
func TestFolderThatIsBeingShotIsNoMistake(t *testing.T) {
	for _, test := range []struct {
		name  string
		ages  []time.Duration // of the photos in a folder of each
		other int             // photos of another folder, an hour old

		frames, marker string // what is said of them
	}{
		{"begun a moment ago", []time.Duration{time.Hour, time.Second}, 0, "ok", "ok"},
		{"left", []time.Duration{time.Hour, time.Hour}, 0, "warn", "warn"},
		{"of a camera whose clock is a year ahead", []time.Duration{-10000 * time.Hour}, 0, "warn", "warn"},
		{"too many", []time.Duration{0, 0, 0, 0}, 0, "warn", "ok"},
		{"begun beside one that was left", []time.Duration{0}, 2, "warn", "warn"},
	} {
		root := t.TempDir()
		w := config.Watch{Path: root, Include: []string{"*.jpg"}, Frames: 3, Marker: "done.txt"}
		for i, age := range append(test.ages, slices.Repeat([]time.Duration{time.Hour}, test.other)...) {
			folder := "SKU-1"
			if i >= len(test.ages) {
				folder = "SKU-0"
			}
			path := filepath.Join(root, folder, fmt.Sprintf("%d.jpg", i))
			then := time.Now().Add(-age)
			err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644), os.Chtimes(path, then, then))
			if err != nil {
				t.Fatal(err)
			}
		}
		seen, err := tree.Look(t.Context(), rootOf(w))
		if err != nil {
			t.Fatal(err)
		}
		var r Report
		examineFrames(seen.Photographed(), w, &r)
		examineMarker(seen.Photographed(), w, &r)
		if len(r.Rows) != 2 || r.Rows[0][0] != test.frames || r.Rows[1][0] != test.marker {
			t.Errorf("%s: %q, want %s and %s", test.name, r.Rows, test.frames, test.marker)
		}
	}
}
