package publish

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A frame that proved broken as it was sent is known to be broken.
func TestFrameThatProvedBrokenIsRemembered(t *testing.T) {
	sf := &sentFrames{folder: reading.New(reading.Files{}, syncstate.Folder{}, nil)}
	broken := plan.Reading{File: syncstate.File{Name: "broken.jpg"}, Broken: "it is cut off"}
	sf.learn(sending.Sent{})
	sf.learn(sending.Sent{Corrupt: &broken})
	sf.learn(sending.Sent{})
	if got := sf.folder.Readings["broken.jpg"]; got.Broken != broken.Broken {
		t.Errorf("the broken frame was read as %+v", got)
	}
}

// The last look before the finish finds exactly the frames that were sent, and the marker as it was
// planned with. Whatever else it finds is planned again.
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
		"the marker went": func(s *plan.Scene, _ *watcher.Snapshot) { s.Facts.Snapshot.Marker = &watcher.File{Name: "done.txt"} },
	} {
		s := plantest.Running(plantest.AScene(2), 2, 2)
		planned, now := s.Facts.Snapshot.Frames, s.Facts.Snapshot
		now.Frames = slices.Clone(planned)
		if !isAsSent(s, now, planned) {
			t.Fatal("nothing has changed, and it is planned again")
		}
		if change(&s, &now); isAsSent(s, now, planned) {
			t.Errorf("%s: it is finished", name)
		}
	}
}

// The last look finds the marker, which from then on speaks for the frames that were sent, and for none
// that come later.
func TestLastLookTakesTheMarker(t *testing.T) {
	root := t.TempDir()
	photo(t, filepath.Join(root, "SKU-1", "1.jpg"))
	if err := os.WriteFile(filepath.Join(root, "SKU-1", "done.txt"), []byte("3 photos"), 0o600); err != nil {
		t.Fatal(err)
	}
	key := syncstate.Folder{Root: root, Path: "SKU-1"}
	folder := reading.New(reading.Files{Watcher: watching(t, root)}, key, &reading.Root{Readers: make(chan struct{}, 1)})
	now, err := folder.Look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := plan.Scene{Facts: plan.Facts{Snapshot: now}, Record: syncstate.Record{Product: syncstate.Product{UUID: "shoe"}, Run: &syncstate.Run{
		Phase: syncstate.Sending, Form: &syncstate.Form{Policy: "policy"},
		Frames: []syncstate.RunFrame{{File: plan.FileOf(now.Frames[0]), Uploaded: true}},
	}}}
	sf := &sentFrames{record: aLedger(t, key, s.Record), folder: folder}
	if marker, err := sf.lookOnceMore(t.Context(), s, now.Frames); err != nil || marker.Name != "done.txt" || marker.Size != 8 {
		t.Errorf("it finds %+v, %v", marker, err)
	}
}

// A frame that was touched since it was sent, under its old time, is read before the finish. If it
// holds other bytes than those that were sent, the form is given up.
func TestFrameTouchedUnderItsOldTime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the time of the last change is not asked for there")
	}
	root := t.TempDir()
	photo(t, filepath.Join(root, "SKU-1", "1.jpg"))
	content, err := os.ReadFile(filepath.Join(root, "SKU-1", "1.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	sum := plantest.DigestOf(string(content))
	key, files := syncstate.Folder{Root: root, Path: "SKU-1"}, reading.Files{Watcher: watching(t, root)}
	for name, test := range map[string]struct {
		change         func(now int64) int64 // of the time of the last change from before the frame was sent
		digest         []byte                // of the bytes sent
		read, finishes bool
	}{
		"as it was sent":            {func(now int64) int64 { return now }, nil, false, true},
		"touched":                   {func(now int64) int64 { return now - 1 }, sum, true, true},
		"touched, with other bytes": {func(now int64) int64 { return now - 1 }, []byte("others"), true, false},
		"nothing tells":             {func(int64) int64 { return 0 }, nil, false, true},
	} {
		folder := reading.New(files, key, &reading.Root{Readers: make(chan struct{}, 1)})
		now, err := folder.Look(t.Context())
		if err != nil || len(now.Frames) != 1 {
			t.Fatalf("the folder holds %+v, %v", now.Frames, err)
		}
		s := plan.Scene{Record: syncstate.Record{
			Product: syncstate.Product{UUID: "shoe"},
			Run: &syncstate.Run{
				Phase: syncstate.Sending, Form: &syncstate.Form{Policy: "policy"},
				Frames: []syncstate.RunFrame{{
					File: plan.FileOf(now.Frames[0]), Digest: test.digest, Uploaded: true, Changed: test.change(now.Frames[0].Changed),
				}},
			},
		}}
		folder.Readings = map[string]plan.Reading{"1.jpg": { // of before, by other bytes
			File: plan.FileOf(now.Frames[0]), Changed: test.change(now.Frames[0].Changed), Digest: test.digest,
		}}
		sf := &sentFrames{record: aLedger(t, key, s.Record), folder: folder}
		_, err = sf.lookOnceMore(t.Context(), s, now.Frames)
		if (err == nil) != test.finishes || err != nil && !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := sf.record.read()
		if err != nil || r.Run.In(syncstate.Sending) != test.finishes || folder.Readings["1.jpg"].Whole != test.read {
			t.Errorf("%s: recorded is %+v, known are %v, %v", name, r.Run, folder.Readings, err)
		}
	}
}

// Before a frame is sent its last change is recorded, so that a later process knows it too.
func TestLastChangeIsRecordedBeforeAFrameIsSent(t *testing.T) {
	s := plantest.Running(plantest.AScene(1), 0, 1)
	sf := &sentFrames{record: aLedger(t, syncstate.Folder{Root: "/shoots", Path: "SKU-1"}, s.Record)}
	f := s.Facts.Snapshot.Frames[0]
	f.Changed = 7
	if _, err := sf.freeze(s, []watcher.File{f}); err != nil {
		t.Fatal(err)
	}
	if r, err := sf.record.read(); err != nil || r.Run.Frames[0].Changed != 7 {
		t.Errorf("recorded is %+v, %v", r.Run, err)
	}
}
