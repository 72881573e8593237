package daemon_test

import (
	"fmt"
	"sync"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/syncstate"
)

// TestPauseEndsUploadBetweenFrames: who pauses a folder does not wait for all of its frames.
func TestPauseEndsUploadBetweenFrames(t *testing.T) {
	w := newWorld(t, "frames = 8\n"+shortQuiet+"\n[upload]\nparallel = 1")
	for i := range 8 {
		w.shoot("a", fmt.Sprintf("Summer/SKU-1/%d.jpg", i))
	}
	sent := 0
	began, paused := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(began) })
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == "4.3" {
			sent++
			begin()
			<-paused
		}
		return sandbox.Fault{}
	}
	w.while(func(d *daemon.Daemon, until func(func([]daemon.ProductStatus) bool)) {
		<-began
		if err := d.Pause(syncstate.Folder{Root: w.root, Path: "Summer/SKU-1"}); err != nil {
			t.Error(err)
		}
		close(paused)
		until(func(products []daemon.ProductStatus) bool { return count(products, daemon.Paused) == 1 })
	})
	if sent > 2 { // the one under way, and one that stood in line for its lane
		t.Errorf("%d frames were sent after the pause", sent)
	}
}
