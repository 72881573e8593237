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
	asks := func(path string, cause status.Kind, change func(*plan.Step)) *folder {
		f := &folder{key: syncstate.Folder{Path: path}, last: plan.NeedsPerson(status.Because(cause))}
		change(&f.last)
		f.status = status.ProductStatus{State: f.last.State, Cause: f.last.Cause, Doubted: true, TotalBytes: 1}
		return f
	}
	same := func(*plan.Step) {}
	misplaced, broken := asks("Spring", status.Misplaced, same), asks("Summer/SKU-3", status.BrokenFrame, same)
	unsaved := asks("Summer/SKU-4", status.StateFileFailed, same)
	unanswered := asks("Summer/SKU-5", status.NoAnswer, func(s *plan.Step) { s.Action = plan.Wait }) // of the service
	retried := asks("Summer/SKU-6", status.BrokenFrame, same)
	retried.busy = true
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
		"one waits for a person":           {[]*folder{compared, broken}, true},
		"one is looked at once more":       {[]*folder{compared, retried}, false},
		"all wait for a person":            {[]*folder{broken}, false},
		"the service needs a person":       {[]*folder{compared, unanswered}, false},
		"the state file does":              {[]*folder{compared, unsaved}, false},
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

// A root that is added to a state file in use has new folders only. One that the file has met may
// have been away, and one in place of another may have got another path: the folders of both are
// compared.
func TestRootIsAddedToAFileInUse(t *testing.T) {
	for name, test := range map[string]struct {
		inUse        bool
		unwatched    []string
		known, added bool // of the new root
	}{
		"a file in use":                   {true, nil, true, true},
		"a new file":                      {false, nil, false, false},
		"a file that knows other folders": {true, []string{"/old"}, false, true},
	} {
		d := DaemonOf(publish.Publisher{Unwatched: test.unwatched})
		met, added := &reading.Root{Met: true}, new(reading.Root)
		d.board.roots = roots{"in use": {Met: true}, "met": met, "new": added}
		d.board.roots["in use"].Known.Store(test.inUse)
		d.board.noteAddedRoots()
		if met.Known.Load() || met.Added || added.Known.Load() != test.known || added.Added != test.added {
			t.Errorf("%s: the roots are %+v and %+v", name, met, added)
		}
	}
}
