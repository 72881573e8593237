package watcher

import (
	"testing"
	"time"

	"spinsync/watcher/names"
)

// TestFolderThatCameBehindAReading: a known folder that the reading of the tree did not meet, and
// of which an event came since it began, is not gone: the read that the event calls for decides.
func TestFolderThatCameBehindAReading(t *testing.T) {
	const shoe = "SKU-1"
	start := time.Now()
	rules, err := names.New([]string{"*.jpg"}, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		hint time.Duration // after the start of the reading
		lost int
	}{
		"hinted during the reading": {time.Second, 0},
		"hinted before the reading": {-time.Second, 1},
	} {
		known := newFolders(Root{Depth: 1, Known: map[string]Idle{shoe: {}}}, rules)
		known.all[shoe].live = &live{}
		known.all[shoe].live.hint("", start.Add(test.hint))
		a := absence{folders: known, disk: &disk{rules: rules}}
		if lost, _ := a.notMet(&reading{number: 1, start: start}); len(lost) != test.lost {
			t.Errorf("%s: %d folders are lost", name, len(lost))
		}
	}
}
