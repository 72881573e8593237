package publish

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/renamed"
	"spinsync/syncstate"
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

// A frame that was written to since it was sent, under its old time, is read again before the
// finish, and compared with the bytes sent. One whose last change never comes to rest is not.
func TestFrameWrittenUnderItsOldTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the time of the last change is not asked for there")
	}
	root := t.TempDir()
	photo(t, filepath.Join(root, "SKU-1", "1.jpg"))
	p := &Publisher{Records: NewRecords(plantest.Store(t)), Contents: &renamed.ContentIndex{}}
	p.Files.Watcher = watching(t, root)
	for name, test := range map[string]struct {
		change   func(*plan.Touch)
		finishes bool
	}{
		"as it was sent":        {func(*plan.Touch) {}, true},
		"written to":            {func(touch *plan.Touch) { touch.Changed-- }, false},
		"written to many times": {func(touch *plan.Touch) { touch.Changed--; touch.Times = mostTouches }, true},
		"nothing tells":         {func(touch *plan.Touch) { touch.Changed = 0 }, true},
	} {
		j := NewJob(p, syncstate.Folder{Root: root, Path: "SKU-1"}, nil)
		now, err := p.Files.Look(t.Context(), root, "SKU-1")
		if err != nil || len(now.Frames) != 1 {
			t.Fatalf("the folder holds %+v, %v", now.Frames, err)
		}
		file := plan.FileOf(now.Frames[0])
		s := plan.Scene{Record: syncstate.Record{
			Product: syncstate.Product{UUID: "shoe"},
			Run: &syncstate.Run{
				Phase: syncstate.Sending, Form: &syncstate.Form{Policy: "policy"},
				Frames: []syncstate.RunFrame{{File: file, Uploaded: true}},
			},
		}}
		if err := p.Records.Update(j.Key, func(r *syncstate.Record) error { *r = s.Record; return nil }); err != nil {
			t.Fatal(err)
		}
		touch := plan.Touch{Changed: now.Frames[0].Changed}
		test.change(&touch)
		j.sent.touches = map[string]plan.Touch{"1.jpg": touch}
		j.Readings = map[string]plan.Reading{"1.jpg": {File: file, Whole: true}}
		_, err = j.runner.lookOnceMore(t.Context(), s, now.Frames)
		if (err == nil) != test.finishes || err != nil && !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := p.Records.Record(j.Key)
		if err != nil || r.Run.Frames[0].Early == test.finishes || (len(j.Readings) == 1) != test.finishes {
			t.Errorf("%s: recorded is %+v, known are %v, %v", name, r.Run.Frames[0], j.Readings, err)
		}
	}
}
