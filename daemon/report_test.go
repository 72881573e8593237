package daemon

import (
	"bytes"
	"log/slog"
	"reflect"
	"slices"
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestFolderThatIsFoundHasAState: a folder is in one of the states from the moment it is found.
func TestFolderThatIsFoundHasAState(t *testing.T) {
	d := idleDaemon(t)
	d.board.onSnapshot(watcher.Snapshot{Root: d.config.Watch[0].Path, Folder: "Summer/SKU-1", Present: true})
	if p := d.Status().Products[0]; p.State != status.Collecting || p.Reason != "not checked yet" {
		t.Errorf("state %q, reason %q", p.State, p.Reason)
	}
}

// TestIdleFolderKeepsLittle: of the thousands that are published in the months of a program's
// life each keeps only what it can be told by, and goes on from that.
func TestIdleFolderKeepsLittle(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	d.board.onSnapshot(watcher.Snapshot{
		Root: key.Root, Folder: key.Path, Present: true, Fingerprint: watcher.Fingerprint{1}, ID: 7, Frames: []watcher.File{{Name: "1.jpg"}},
	})
	_, release, free := d.board.Hold(key)
	if !free {
		t.Fatal("the folder is in a hand")
	}
	f := d.board.folders.all[key]
	f.job.Folder.Snapshot = d.board.TakeLatest(key, watcher.Snapshot{})
	f.job.Folder.LetGo(true)
	f.dirty, f.last = false, plan.Step{Action: plan.Idle, State: status.Published}
	release()
	if f.job != nil {
		t.Error("it keeps its job")
	}
	want := watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Idle: true, Fingerprint: watcher.Fingerprint{1}, ID: 7}
	if got := d.board.TakeLatest(key, watcher.Snapshot{}); !reflect.DeepEqual(got, want) {
		t.Errorf("it goes on from %+v, want %+v", got, want)
	}
}

// TestNameWithoutAProductIsNotMissed: what is recorded of a renamed folder stands under its new
// name, and the log does not call the old one missing.
func TestNameWithoutAProductIsNotMissed(t *testing.T) {
	var log bytes.Buffer
	d := idleDaemon(t)
	d.board.publisher.Log = slog.New(slog.NewTextHandler(&log, nil))
	gone := watcher.Snapshot{Root: d.config.Watch[0].Path, Folder: "Summer/old", Absent: watcher.Absence{Reads: 1}}
	d.board.onSnapshot(gone)
	j := d.board.jobOf(d.board.folders.all[syncstate.Folder{Root: gone.Root, Path: gone.Folder}])
	j.Folder.Snapshot = gone
	s, err := j.Scene()
	if err != nil {
		t.Fatal(err)
	}
	next := plan.Next(s)
	if j.Work(t.Context()); next.Action != plan.Forget || log.Len() > 0 {
		t.Errorf("%s, and the log says: %s", next.Action, &log)
	}
}

// TestIdleStatusIsTheSame: the products are not listed again while nothing happens, and every
// change of a folder is reported.
func TestIdleStatusIsTheSame(t *testing.T) {
	d := idleDaemon(t)
	root := d.config.Watch[0].Path
	key := syncstate.Folder{Root: root, Path: "Summer/SKU-1"}
	var seen status.Status
	for what, happens := range []struct {
		name string
		do   func()
	}{
		{"the first look", func() {}},
		{"a folder is found", func() { d.board.onSnapshot(watcher.Snapshot{Root: root, Folder: key.Path, Present: true, Idle: true}) }},
		{"it goes first", func() {
			if err := d.Do(Prioritize, key); err != nil {
				t.Fatal(err)
			}
		}},
		{"a frame is sent", func() { d.board.display.FrameSent(key) }},
		{"it is in a hand", func() { _, _, _ = d.board.Hold(key) }},
		{"and still is", func() {}},
		{"it is forgotten", func() { d.board.Forget(key) }},
	} {
		happens.do()
		now, same := d.StatusSince(seen)
		if same {
			t.Errorf("%d: %s, and the status is said to be the same", what, happens.name)
		}
		if whole := d.Status(); !reflect.DeepEqual(now.Products, whole.Products) {
			t.Errorf("%d: %s, and it lists %+v instead of %+v", what, happens.name, now.Products, whole.Products)
		}
		seen = now
	}
	if now, same := d.StatusSince(seen); !same || !reflect.DeepEqual(now, seen) {
		t.Errorf("at rest it is another one: %+v, before %+v", now, seen)
	}
}

// TestStatusIsInOrder: folders are listed by root and path, whatever came or went in between.
func TestStatusIsInOrder(t *testing.T) {
	d := idleDaemon(t)
	root := d.config.Watch[0].Path
	come := func(path string) {
		d.board.onSnapshot(watcher.Snapshot{Root: root, Folder: path, Present: true, Idle: true})
	}
	told := func() (paths []string) {
		for _, p := range d.Status().Products {
			paths = append(paths, p.Folder)
		}
		return paths
	}
	come("Summer/SKU-2")
	come("Summer/SKU-1")
	if got, want := told(), []string{"Summer/SKU-1", "Summer/SKU-2"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
	d.board.Forget(syncstate.Folder{Root: root, Path: "Summer/SKU-2"})
	come("Spring/SKU-3")
	if got, want := told(), []string{"Spring/SKU-3", "Summer/SKU-1"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}
