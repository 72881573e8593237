package publish

import (
	"testing"

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
