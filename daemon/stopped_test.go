package daemon

import (
	"bytes"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// stopWithTooFew has a person told that a folder of two frames should have four, with what the
// watcher says of it.
func stopWithTooFew(t *testing.T, d *Daemon, s watcher.Snapshot) {
	t.Helper()
	key := syncstate.Folder{Root: s.Root, Path: s.Folder}
	f := d.board.newFolder(key)
	d.board.folders[key] = f
	if last := lookAt(t, d, key, s); last.state != Attention || last.before {
		t.Fatalf("%s, %s", last.state, said(last.cause))
	}
}

// lookAt plans a folder of whole frames, and takes in what comes of it.
func lookAt(t *testing.T, d *Daemon, key syncstate.Folder, snapshot watcher.Snapshot) step {
	t.Helper()
	j := d.board.jobOf(d.board.folders[key])
	j.snapshot, j.readings = snapshot, map[string]reading{}
	for _, f := range snapshot.Frames {
		j.readings[f.Name] = reading{file: identity(f), whole: true}
	}
	s, err := j.scene()
	if err != nil {
		t.Fatal(err)
	}
	last := j.settle(s, plan(s))
	if j.told != nil {
		if err := j.update(func(*syncstate.Record) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

// TestStopOutlastsARestart: what a person was told of a folder is told over a restart, and not
// logged again, as long as its files are the same. It is not told of a folder that changed
// meanwhile, that is judged by other rules, or that a person had tried again.
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
		"told in other words": {func(*Daemon, syncstate.Folder) { reword(t) }, print, true},
		"other files":         {print: watcher.Fingerprint{2}},
		"other rules":         {func(d *Daemon, key syncstate.Folder) { d.board.roots[key.Root].digest = "another" }, print, false},
		"tried again":         {func(d *Daemon, key syncstate.Folder) { RetryRecorded(d.records.Store, key, false) }, print, false},
		"another failure": {func(d *Daemon, key syncstate.Folder) {
			d.records.Update(key, func(r *syncstate.Record) error { r.Cause = because(status.Refused); return nil })
		}, print, false},
	} {
		d := idleDaemon(t)
		root := d.board.roots[d.config.Watch[0].Path]
		root.rules.frames = 4
		key := syncstate.Folder{Root: root.watch.Path, Path: "Summer/SKU-1"}
		s := watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Fingerprint: print, Changed: time.Now().Add(-time.Hour)}
		s.Frames = aScene(2).snapshot.Frames
		stopWithTooFew(t, d, s)
		if test.meanwhile != nil {
			test.meanwhile(d, key)
		}

		var log bytes.Buffer
		d.log = slog.New(slog.NewTextHandler(&log, nil))
		d.board.folders = map[syncstate.Folder]*folder{}
		if _, err := d.recall(); err != nil {
			t.Fatal(err)
		}
		s.Fingerprint, s.Changed = test.print, time.Now()
		moving := s
		moving.Frames = aScene(2).snapshot.Frames
		for i := range moving.Frames {
			moving.Frames[i].Still = false
		}
		for _, seen := range []watcher.Snapshot{moving, s} {
			lookAt(t, d, key, seen)
			if p := d.Status().Products[0]; (p.State == Attention) != test.told || strings.Contains(p.Reason, "too few") != test.told || p.NextTry != nil {
				t.Errorf("%s: it is told as %s, %s", name, p.State, p.Reason)
			}
		}
		if test.told && log.Len() > 0 {
			t.Errorf("%s: the log says once more: %s", name, &log)
		}
	}
}

// TestPassJudgesWhatIsToldAsBefore: a pass does not end with what was told before it, be it that
// the upload is to be looked for first.
func TestPassJudgesWhatIsToldAsBefore(t *testing.T) {
	d := idleDaemon(t)
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	told := aScene(2).running(2, 4)
	told.stopped, told.record.State, told.record.Cause = true, string(Attention), because(status.TooFew)
	for i := range told.snapshot.Frames {
		told.snapshot.Frames[i].Still = false
	}
	resumed := told
	resumed.resumed = true
	p := pass{d: d, read: time.Now()}
	for _, s := range []scene{told, resumed} {
		f.last = plan(s)
		if f.last.action == resume {
			f.last = *d.board.jobOf(f).take(t.Context(), s, f.last)
		}
		if f.last.action != wait || f.last.state != Attention || p.isDone(f) {
			t.Errorf("%s, %s, done: %t", f.last.action, f.last.state, p.isDone(f))
		}
	}
}

// TestLogKnowsAStopFromBeforeAPause: what the log said of a folder before it was paused is not said
// once more after the pause, though the program was started again in between.
func TestLogKnowsAStopFromBeforeAPause(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	d.keepStatus(ProductStatus{Root: key.Root, Folder: key.Path, State: Attention, Reason: "too few"})
	if err := PauseRecorded(d.records.Store, key); err != nil {
		t.Fatal(err)
	}
	if _, err := d.recall(); err != nil {
		t.Fatal(err)
	}
	if told := (ProductStatus{Root: key.Root, Folder: key.Path, State: Attention, Reason: "too few"}); d.board.isNews(told) {
		t.Error("the log says it again")
	}
}

// reword has every sentence read otherwise until the test ends.
func reword(t *testing.T) {
	before := maps.Clone(status.Phrases)
	t.Cleanup(func() { maps.Copy(status.Phrases, before) })
	for kind := range status.Phrases {
		status.Phrases[kind] = "in other words: " + string(kind)
	}
}
