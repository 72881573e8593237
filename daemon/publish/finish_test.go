package publish

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/watcher"
)

// The last look before the finish finds exactly the frames that were sent, and the marker as it was
// planned with. Whatever else it finds is planned anew.
func TestLastLookFindsWhatWasSent(t *testing.T) {
	first := func(now *watcher.Snapshot) *watcher.File { return &now.Frames[0] }
	for name, change := range map[string]func(s *plan.Scene, now *watcher.Snapshot){
		"the folder is gone":   func(_ *plan.Scene, now *watcher.Snapshot) { now.Present = false },
		"it cannot be read":    func(_ *plan.Scene, now *watcher.Snapshot) { now.Err = fs.ErrPermission },
		"a frame is gone":      func(_ *plan.Scene, now *watcher.Snapshot) { now.Frames = now.Frames[1:] },
		"another size":         func(_ *plan.Scene, now *watcher.Snapshot) { first(now).Size++ },
		"another time":         func(_ *plan.Scene, now *watcher.Snapshot) { first(now).ModTime = plantest.Noon },
		"another file":         func(_ *plan.Scene, now *watcher.Snapshot) { first(now).ID = 99 },
		"a frame was not sent": func(s *plan.Scene, _ *watcher.Snapshot) { s.Record.Run.Frames[0].Uploaded = false },
		"another frame": func(_ *plan.Scene, now *watcher.Snapshot) {
			first(now).Name = "frame_00.jpg"
		},
		"a frame is being written": func(_ *plan.Scene, now *watcher.Snapshot) {
			now.Busy = []watcher.Busy{{File: watcher.File{Name: "frame_01.jpg.part", Since: time.Now()}, Frame: "frame_01.jpg"}}
		},
		"the marker came": func(_ *plan.Scene, now *watcher.Snapshot) { now.Marker = &watcher.File{Name: "done.txt"} },
		"the marker went": func(s *plan.Scene, _ *watcher.Snapshot) { s.Snapshot.Marker = &watcher.File{Name: "done.txt"} },
	} {
		s := plantest.Running(plantest.AScene(2), 2, 2)
		planned, now := s.Snapshot.Frames, s.Snapshot
		now.Frames = slices.Clone(planned)
		if !isAsSent(s, now, planned) {
			t.Fatal("nothing has changed, and it is planned anew")
		}
		if change(&s, &now); isAsSent(s, now, planned) {
			t.Errorf("%s: it is finished", name)
		}
	}
}
