package daemon

import (
	"testing"

	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A condition that does not know how many frames settled leaves the number that is shown.
func TestUnknownNumberOfSettledFrames(t *testing.T) {
	d, key := DaemonOf(publish.Publisher{}), syncstate.Folder{Path: "Summer/SKU-1"}
	shown := &folder{key: key, status: status.ProductStatus{}}
	shown.status.Frames.Settled = 24
	d.board.folders[key] = shown
	d.board.ShowFrames(key, publish.Condition{TableSignal: status.TableSignal{Complete: true}, Settled: -1})
	if shown.status.Frames.Settled != 24 || !shown.status.Complete {
		t.Errorf("shown as %+v", shown.status)
	}
}
