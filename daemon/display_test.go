package daemon

import (
	"testing"

	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A condition that does not know how many frames settled leaves the number that is shown.
func TestUnknownNumberOfSettledFrames(t *testing.T) {
	d, key := DaemonOf(publish.Publisher{}), syncstate.Folder{Path: "Summer/SKU-1"}
	shown := &folder{key: key, status: status.ProductStatus{}}
	shown.status.Frames.Settled = 24
	d.board.folders.all[key] = shown
	d.board.display.ShowFrames(key, publish.Condition{Complete: true, Settled: -1})
	if shown.status.Frames.Settled != 24 || !shown.status.Complete {
		t.Errorf("shown as %+v", shown.status)
	}
}

// A command names the root of a folder only where another root has a folder of that name.
func TestNameInACommand(t *testing.T) {
	d := DaemonOf(publish.Publisher{})
	one, two := syncstate.Folder{Root: "/one", Path: "Summer/SKU-1"}, syncstate.Folder{Root: "/two", Path: "Summer/SKU-1"}
	d.board.roots["/one"], d.board.roots["/two"] = new(reading.Root), new(reading.Root)
	d.board.folders.all[one] = &folder{key: one}
	if name := d.board.display.NameInShell(one); name != "Summer/SKU-1" {
		t.Errorf("a folder alone is called %s", name)
	}
	d.board.folders.all[two] = &folder{key: two}
	for _, key := range []syncstate.Folder{one, two} {
		if name := d.board.display.NameInShell(key); name != key.Root+"/Summer/SKU-1" {
			t.Errorf("one of two is called %s", name)
		}
	}
}
