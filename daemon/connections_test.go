package daemon_test

import (
	"spinsync/daemon/daemontest"
	"testing"
)

// TestNothingIsDialledForAnIdleFolder: a create has its connection made ahead, and where none is
// owed there is none.
func TestNothingIsDialledForAnIdleFolder(t *testing.T) {
	daemontest.Story(t, "frames = 2", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/S-1/1.jpg", "Summer/S-1/2.jpg")
		w.Published()
		before := w.Dialled.Load()
		w.Published()
		if again := w.Dialled.Load() - before; before == 0 || again != 0 {
			t.Errorf("publishing took %d connections, a pass over what is published %d", before, again)
		}
	})
}
