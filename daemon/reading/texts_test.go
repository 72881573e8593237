package reading

import (
	"testing"
	"time"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A text that cannot be read is told apart from one that was withdrawn.
func TestTextsThatCannotBeReadAreNotWithdrawn(t *testing.T) {
	all, err := watcher.New([]watcher.Root{{Path: t.TempDir(), Depth: 1, Settle: time.Second}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := New(Files{Watcher: all}, syncstate.Folder{Path: "SKU-1"}, &Root{})
	for _, unread := range []bool{false, true} {
		folder.Problems = []alttext.Problem{{File: "alt.csv", Unread: unread}}
		var s plan.Scene
		if folder.Fill(&s); s.Texts.Partly != unread {
			t.Errorf("unread %t, and partly %t", unread, s.Texts.Partly)
		}
	}
}
