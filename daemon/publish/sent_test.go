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

// An arrival that could not be recorded at once is recorded for the very file and form that it was
// sent with, and once.
func TestLateArrivalIsOfThisRun(t *testing.T) {
	frame := syncstate.RunFrame{File: syncstate.File{Name: "frame_01.jpg", Size: 1000, ID: "1"}}
	late := arrival{0, frame, "policy"}
	for name, test := range map[string]struct {
		change func(*syncstate.Run)
		open   bool
	}{
		"as it was sent":      {func(*syncstate.Run) {}, true},
		"another file":        {func(r *syncstate.Run) { r.Frames[0].ID = "2" }, false},
		"another size":        {func(r *syncstate.Run) { r.Frames[0].Size++ }, false},
		"another name":        {func(r *syncstate.Run) { r.Frames[0].Name = "frame_02.jpg" }, false},
		"recorded already":    {func(r *syncstate.Run) { r.Frames[0].Uploaded = true }, false},
		"another form":        {func(r *syncstate.Run) { r.Form.Policy = "another" }, false},
		"no such frame":       {func(r *syncstate.Run) { r.Frames = nil }, false},
		"a run that finishes": {func(r *syncstate.Run) { r.Phase = syncstate.Finishing }, false},
	} {
		run := &syncstate.Run{
			Phase: syncstate.Sending, Form: &syncstate.Form{Policy: "policy"}, Frames: []syncstate.RunFrame{frame},
		}
		if test.change(run); late.isOpen(run) != test.open {
			t.Errorf("%s: open %t", name, !test.open)
		}
	}
}

// What was noted of a frame before it was sent proves nothing once its name leads to another file,
// or the frame proved broken.
func TestNoteOfAnotherFileIsDropped(t *testing.T) {
	sf := &sentFrames{
		ledger:  &ledger{Folder: reading.New(reading.Files{}, syncstate.Folder{}, nil)},
		touches: map[string]plan.Touch{"moved.jpg": {}, "broken.jpg": {}, "sent.jpg": {}},
	}
	broken := plan.Reading{File: syncstate.File{Name: "broken.jpg"}, Broken: "it ends too early"}
	sf.learn(sentFrame{Sent: sending.Sent{Moved: "moved.jpg"}})
	sf.learn(sentFrame{Sent: sending.Sent{Corrupt: &broken}})
	sf.learn(sentFrame{})
	if left := slices.Collect(maps.Keys(sf.touches)); !slices.Equal(left, []string{"sent.jpg"}) {
		t.Errorf("noted are %q", left)
	}
	if got := sf.Readings["broken.jpg"]; got.Broken != broken.Broken {
		t.Errorf("the broken frame was read as %+v", got)
	}
}
