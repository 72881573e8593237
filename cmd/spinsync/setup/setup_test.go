package setup

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"spinsync/cmd/spinsync/check"
)

// Products at the top of a drive get no project whose title is a slash.
func TestDriveGivesNoProject(t *testing.T) {
	s := &setup{folder: filepath.FromSlash("/")}
	err := s.choose(check.Listing{{Path: "SKU-1", Photos: 36}})
	if err == nil || !strings.Contains(err.Error(), "has no name that the project could take") {
		t.Errorf("project %q, %v", s.project, err)
	}
}

// A folder that is dragged into a terminal is the one that was dragged.
func TestDraggedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there a backslash parts directories")
	}
	for _, answer := range []string{`/shoots/Summer (2)`, `"/shoots/Summer (2)"`, `'/shoots/Summer (2)'`, `/shoots/Summer\ \(2\)`} {
		if folder, err := new(setup).absolute(answer); folder != "/shoots/Summer (2)" || err != nil {
			t.Errorf("%s is %s, %v", answer, folder, err)
		}
	}
}
