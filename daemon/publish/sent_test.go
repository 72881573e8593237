package publish

import (
	"maps"
	"slices"
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
)

// What was noted of a frame before it was sent proves nothing once its name leads to another file,
// or the frame proved broken.
func TestNoteOfAnotherFileIsDropped(t *testing.T) {
	sf := &sentFrames{
		ledger:  &ledger{Folder: reading.New(reading.Files{}, syncstate.Folder{}, nil)},
		touches: map[string]plan.Touch{"moved.jpg": {}, "broken.jpg": {}, "sent.jpg": {}},
	}
	broken := plan.Reading{File: syncstate.File{Name: "broken.jpg"}, Broken: "it ends too early"}
	sf.learn(sending.Sent{Moved: "moved.jpg"})
	sf.learn(sending.Sent{Corrupt: &broken})
	sf.learn(sending.Sent{})
	if left := slices.Collect(maps.Keys(sf.touches)); !slices.Equal(left, []string{"sent.jpg"}) {
		t.Errorf("noted are %q", left)
	}
	if got := sf.Readings["broken.jpg"]; got.Broken != broken.Broken {
		t.Errorf("the broken frame was read as %+v", got)
	}
}
