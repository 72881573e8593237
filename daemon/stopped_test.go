package daemon

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// stopWithTooFew has a folder with a view need a person: it should have four frames and has two.
func stopWithTooFew(t *testing.T, d *Daemon, s watcher.Snapshot) {
	t.Helper()
	key := syncstate.Folder{Root: s.Root, Path: s.Folder}
	d.board.roots[s.Root].Known.Store(true)
	f := d.board.newFolder(key)
	d.board.folders.all[key] = f
	view := plantest.Published(plantest.AScene(1)).Record
	view.Project.Title, view.Product = "Summer", plan.Product{Title: "SKU-1", SKU: "SKU-1"}.WithUUID("product")
	if err := d.records.Update(key, func(r *syncstate.Record) error { *r = view; return nil }); err != nil {
		t.Fatal(err)
	}
	if last := lookAt(t, d, key, s); last.State != status.Attention {
		t.Fatalf("%s, %s", last.State, plantest.Words(last.Cause))
	}
}

// keepStatus records the status that was shown of a folder.
func keepStatus(t *testing.T, d *Daemon, told status.ProductStatus) {
	t.Helper()
	if err := d.records.Update(told.Key(), func(r *syncstate.Record) error { told.Keep(r); return nil }); err != nil {
		t.Fatal(err)
	}
}

// lookAt has a folder of whole frames worked on.
func lookAt(t *testing.T, d *Daemon, key syncstate.Folder, snapshot watcher.Snapshot) plan.Step {
	t.Helper()
	return jobFor(d, key, snapshot).Work(t.Context())
}

// jobFor is the job of a folder whose frames are whole.
func jobFor(d *Daemon, key syncstate.Folder, snapshot watcher.Snapshot) *publish.Job {
	j := d.board.jobOf(d.board.folders.all[key])
	j.Folder.Snapshot, j.Folder.Readings = snapshot, map[string]plan.Reading{}
	for _, f := range snapshot.Frames {
		j.Folder.Readings[f.Name] = plan.Reading{File: plan.FileOf(f), Whole: true}
	}
	return j
}

// TestStopOutlastsARestart: a folder that needs a person is shown so after a restart, and not
// logged again, as long as its files are the same. It is not shown so when it changed meanwhile,
// is judged by other rules, or a person had it tried again.
func TestStopOutlastsARestart(t *testing.T) {
	print := watcher.Fingerprint{1}
	for name, test := range map[string]struct {
		meanwhile func(*Daemon, syncstate.Folder)
		print     watcher.Fingerprint
		told      bool
	}{
		"the same files": {print: print, told: true},
		"looked at while its drive was away": {func(d *Daemon, key syncstate.Folder) {
			lookAt(t, d, key, watcher.Snapshot{Root: key.Root, Folder: key.Path})
		}, print, true},
		"other files": {print: watcher.Fingerprint{2}},
		"other rules": {func(d *Daemon, key syncstate.Folder) { d.board.roots[key.Root].Digest = "another" }, print, false},
		"tried again": {func(d *Daemon, key syncstate.Folder) { DoRecorded(d.records.Store, Retry, key) }, print, false},
	} {
		d := idleDaemon(t)
		root := d.board.roots[d.config.Watch[0].Path]
		root.Rules.Frames = 4
		key := syncstate.Folder{Root: root.Path, Path: "Summer/SKU-1"}
		s := watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Fingerprint: print, Changed: time.Now().Add(-time.Hour)}
		s.Frames = plantest.AScene(2).Facts.Snapshot.Frames
		stopWithTooFew(t, d, s)
		if test.meanwhile != nil {
			test.meanwhile(d, key)
		}

		var log bytes.Buffer
		d.board.publisher.Log = slog.New(slog.NewTextHandler(&log, nil))
		clear(d.board.folders.all)
		if _, err := d.board.recall(nil); err != nil {
			t.Fatal(err)
		}
		s.Fingerprint, s.Changed = test.print, time.Now()
		moving := s
		moving.Frames = plantest.AScene(2).Facts.Snapshot.Frames
		for i := range moving.Frames {
			moving.Frames[i].Still = false
		}
		for _, seen := range []watcher.Snapshot{moving, s} {
			lookAt(t, d, key, seen)
			if p := d.Status().Products[0]; (p.State == status.Attention) != test.told || strings.Contains(p.Reason, "too few") != test.told || p.NextTry != nil {
				t.Errorf("%s: it is told as %s, %s", name, p.State, p.Reason)
			}
		}
		if test.told && log.Len() > 0 {
			t.Errorf("%s: the log says once more: %s", name, &log)
		}
	}
}

// TestPassJudgesWhatIsToldAsBefore: a pass does not end with the status that was shown before it, even
// where the upload must be looked for first.
func TestPassJudgesWhatIsToldAsBefore(t *testing.T) {
	d := idleDaemon(t)
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	d.board.jobOf(f).Folder.Snapshot.Root = f.key.Root
	told := plantest.Running(plantest.AScene(2), 2, 4)
	told.Record.Shown = syncstate.Shown{
		State: string(status.Attention), Cause: status.Because(status.TooFew), Content: plan.ContentOf(told.Facts.Snapshot, told.Facts.Settings),
	}
	for i := range told.Facts.Snapshot.Frames {
		told.Facts.Snapshot.Frames[i].Still = false
	}
	told = plantest.Judged(told)
	resumed := told
	resumed.Unchecked = true
	p := pass{d: d, read: time.Now()}
	for _, s := range []plan.Scene{told, resumed} {
		f.last = plan.Next(s)
		shown := s.Shown(f.last)
		if f.last.Action == plan.ConfirmRun {
			f.last = f.last.PutOff(time.Now().Add(time.Second))
		}
		if f.last.Action != plan.Wait || shown.State != string(status.Attention) || p.isDone(f, d.files.Watcher.Roots()) {
			t.Errorf("%s, %s, done: %t", f.last.Action, shown.State, p.isDone(f, d.files.Watcher.Roots()))
		}
	}
}
