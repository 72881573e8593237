package syncstate

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestHeadsAreLeftEarly: who stops in the middle of a long list, of which more is being read meanwhile, can close the file at once.
func TestHeadsAreLeftEarly(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "state.db"))
	s.current.Load().db.NoSync = true
	for i := range 2*headsAtOnce + 1 {
		set(t, s, Folder{Root: "/srv/shoots", Path: fmt.Sprintf("Summer/%04d", i)}, Record{State: "published"})
	}
	n := 0
	for range s.Heads() {
		if n++; n == headsAtOnce+1 {
			break
		}
	}
	must(t, s.Close())
}
