package daemon

import (
	"strings"
	"testing"

	"spinsync/daemon/layout"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// The status reports the comparison with the service until the last folder has been compared. A
// folder that waits for photos waits for no comparison.
func TestRecoveryIsToldUntilItsEnd(t *testing.T) {
	compared := status.ProductStatus{State: status.Published}
	waiting := status.ProductStatus{State: status.Queued, Doubted: true}
	if told := stillDoubted([]status.ProductStatus{compared, waiting}); !strings.Contains(told, "1 of 2 product folders") {
		t.Errorf("told %q", told)
	}
	incomplete := status.ProductStatus{State: status.Collecting, Doubted: true, TotalBytes: 1, Cause: status.Because(status.Unsettled)}
	if told := stillDoubted([]status.ProductStatus{compared, incomplete}); told != "" {
		t.Errorf("told at its end: %q", told)
	}
}

// A root is known once each of its folders was compared, and no directory is left in which there may be
// more.
func TestRootIsKnownOnceItWasReadThrough(t *testing.T) {
	rules, err := layout.Parse("{project}/{sku}")
	if err != nil {
		t.Fatal(err)
	}
	compared := &folder{key: syncstate.Folder{Path: "Summer/SKU-1"}, status: status.ProductStatus{State: status.Published}}
	doubted := &folder{key: syncstate.Folder{Path: "Summer/SKU-2"}, status: status.ProductStatus{State: status.Queued, Doubted: true}}
	unreadable := &folder{key: syncstate.Folder{Path: "Winter"}, status: status.ProductStatus{State: status.Retrying}}
	misplaced := &folder{key: syncstate.Folder{Path: "Spring"}, status: status.ProductStatus{
		State: status.Attention, Cause: status.Because(status.Misplaced),
	}}
	for name, test := range map[string]struct {
		folders []*folder
		want    bool
	}{
		"no folder":                        {nil, false},
		"all are compared":                 {[]*folder{compared}, true},
		"one is not":                       {[]*folder{compared, doubted}, false},
		"a directory cannot be read":       {[]*folder{compared, unreadable}, false},
		"a directory alone cannot be read": {[]*folder{unreadable}, false},
		"photos lie at another depth":      {[]*folder{compared, misplaced}, true},
		"photos lie at another depth only": {[]*folder{misplaced}, false},
	} {
		d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}})
		root := &reading.Root{Rules: plan.Rules{Layout: rules}}
		for _, f := range test.folders {
			f.root = root
			d.board.folders.all[f.key] = f
		}
		if got := d.board.isReadThrough(root); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
