package publish

import (
	"crypto/sha256"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/view"
	"spinsync/syncstate"
	"spinsync/watcher"
)

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
	sum := sha256.Sum256(content)
	p := &Publisher{Records: NewRecords(plantest.Store(t))}
	p.Files.Watcher = watching(t, root)
	for name, test := range map[string]struct {
		change         func(now int64) int64 // of the time of the last change from before the frame was sent
		digest         []byte                // of the bytes sent
		read, finishes bool
	}{
		"as it was sent":            {func(now int64) int64 { return now }, nil, false, true},
		"touched":                   {func(now int64) int64 { return now - 1 }, sum[:], true, true},
		"touched, with other bytes": {func(now int64) int64 { return now - 1 }, []byte("others"), true, false},
		"nothing tells":             {func(int64) int64 { return 0 }, nil, false, true},
	} {
		j := NewJob(p, syncstate.Folder{Root: root, Path: "SKU-1"}, &reading.Root{Readers: make(chan struct{}, 1)})
		now, err := p.Files.Watcher.ReadFolder(t.Context(), root, "SKU-1")
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
		if err := p.Records.Update(j.record.key, func(r *syncstate.Record) error { *r = s.Record; return nil }); err != nil {
			t.Fatal(err)
		}
		_, err = j.uploads.uploader.sent.lookOnceMore(t.Context(), s, now.Frames)
		if (err == nil) != test.finishes || err != nil && !outcome.Is(err, outcome.Changed) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := p.Records.Store.Record(j.record.key)
		if err != nil || r.Run.In(syncstate.Sending) != test.finishes || (len(j.Folder.Readings) == 1) != test.read {
			t.Errorf("%s: recorded is %+v, known are %v, %v", name, r.Run, j.Folder.Readings, err)
		}
	}
}

// Before a frame is sent its last change is recorded, so that a later process knows it too.
func TestLastChangeIsRecordedBeforeAFrameIsSent(t *testing.T) {
	j := NewJob(&Publisher{Records: NewRecords(plantest.Store(t))}, syncstate.Folder{Root: "/shoots", Path: "SKU-1"}, nil)
	s := plantest.Running(plantest.AScene(1), 0, 1)
	keep(t, j, s.Record)
	f := s.Facts.Snapshot.Frames[0]
	f.Changed = 7
	if _, err := j.uploads.uploader.sent.freeze(s, []watcher.File{f}); err != nil {
		t.Fatal(err)
	}
	if r, err := j.record.read(); err != nil || r.Run.Frames[0].Changed != 7 {
		t.Errorf("recorded is %+v, %v", r.Run, err)
	}
}

// The form of a view that somebody else uploaded to in the meantime is not finished: it would close
// theirs.
func TestOvertakenFormIsNotFinished(t *testing.T) {
	finishes := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.FinishUpload {
			finishes++
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Record.Run = &syncstate.Run{
		Phase: syncstate.Sending, Reupload: true, Form: new(syncstate.Form), Before: syncstate.Before{Print: "others"},
	}
	keep(t, j, s.Record)
	before := finishes
	err := j.parts.finisher.finishUpload(t.Context(), s, plan.Step{})
	if r, failed := j.record.read(); failed != nil || finishes != before || !r.Run.In(syncstate.Owed) {
		t.Errorf("%d finishes, the run is %+v: %v, %v", finishes-before, r.Run, err, failed)
	}
}

// A finish that is sent after the last look, and refused for now, has not arrived, though the service
// shows the finished revision from before.
func TestFinishAfterTheLastLook(t *testing.T) {
	busy := false
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if busy && c.Op == sandbox.FinishUpload {
			return sandbox.Fault{Status: 503}
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	busy = true
	shown, err := client.Status(t.Context(), s.Record.Product.UUID)
	if err != nil {
		t.Fatal(err)
	}
	seen := view.ProgressOf(shown)
	err = j.record.change(func(r *syncstate.Record) {
		r.Run = &syncstate.Run{Phase: syncstate.Finishing, Reupload: true, Seen: &seen, Looks: syncstate.Tries{N: hosting.Rungs}}
	})
	for range 2 {
		if err != nil {
			t.Fatal(err)
		}
		if s.Record, err = j.record.read(); err == nil && j.parts.finisher.confirmFinish(t.Context(), s) == nil {
			t.Error("the finish counts as heard")
		}
	}
	if r, err := j.record.read(); err != nil || r.Run.Phase != syncstate.Finishing {
		t.Errorf("the run is %+v, %v", r.Run, err)
	}
}

// TestFinishWithoutAnAnswer: the finish is sent again only where nothing shows that it arrived. Images
// that are listed before the first revision prove nothing, and neither does the refusal of the second
// request: the service is looked at some more times then.
func TestFinishWithoutAnAnswer(t *testing.T) {
	json := http.Header{"Content-Type": {"application/json"}}
	pending := sandbox.Fault{Status: 200, Body: `{"variant":{"source_revision":0,"image_status":"pending"}}`, Header: json}
	none := sandbox.Fault{Status: 200, Body: `[]`, Header: json}
	refused := sandbox.Fault{Status: 422, Body: `{"errors":["already finished"]}`}
	finished, before := &syncstate.Progress{Status: apiclient.StatusFinished}, &syncstate.Progress{Revision: 7}
	for name, test := range map[string]struct {
		status, images, finish sandbox.Fault
		seen                   *syncstate.Progress // nil: there was no revision before
		looks                  int
		again, arrived, looked bool // it is sent again, it arrived, the service is looked at again
	}{
		"nothing is there":                    {status: pending, images: none, again: true, arrived: true},
		"nothing is there, and it is refused": {status: pending, images: none, finish: refused, again: true, looked: true},
		"images are listed":                   {status: pending, looked: true},
		"the first revision is finished":      {arrived: true},
		"as before the run":                   {seen: finished, again: true, arrived: true},
		"as before, and it is refused":        {seen: finished, finish: refused, again: true, looked: true},
		"as before, and it was sent again":    {seen: finished, looks: 1, looked: true},
		"as before, after the looks":          {seen: finished, looks: hosting.Rungs, again: true, arrived: true},
		"the service goes on":                 {seen: before, arrived: true},
	} {
		requests, asked := 0, false
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			switch {
			case !asked:
			case c.Op == sandbox.FinishUpload:
				requests++
				if test.finish.Status == 0 {
					return sandbox.Fault{Status: 200}
				}
				return test.finish
			case c.Op == sandbox.ReadStatus:
				return test.status
			case c.Op == sandbox.ListImages:
				return test.images
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		s.Record.Run = &syncstate.Run{Phase: syncstate.Finishing, Seen: test.seen, Looks: syncstate.Tries{N: test.looks}, Frames: make([]syncstate.RunFrame, 1)}
		keep(t, j, s.Record)
		asked = true
		err := j.parts.finisher.confirmFinish(t.Context(), s)
		r, failed := j.record.read()
		if (requests == 1) != test.again || requests > 1 || outcome.Is(err, outcome.Waits) != test.looked || (err != nil) != test.looked {
			t.Errorf("%s: %d requests, %v", name, requests, err)
		}
		if failed != nil || r.Run.In(syncstate.Processing) != test.arrived || !test.arrived && !r.Run.In(syncstate.Finishing) {
			t.Errorf("%s: the run is %+v, %v", name, r.Run, failed)
		}
	}
}
