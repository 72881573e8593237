package setup

import (
	"path/filepath"
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
