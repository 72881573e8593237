package daemon

import (
	"context"
	"testing"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// withFolder is a daemon that knows one folder, which is due.
func withFolder() (*Daemon, *folder) {
	d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}, Slots: schedule.NewSlots(config.Upload{}, nil)})
	key := syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"}
	f := d.board.newFolder(key)
	f.newest = &watcher.Snapshot{}
	d.board.folders.all[key] = f
	d.board.queue.Add(key, schedule.New)
	return d, f
}

// A folder that was taken over or forgotten while it stood in the queue leaves it: nothing else would
// take it out.
func TestForgottenFolderIsLeftAlone(t *testing.T) {
	d, f := withFolder()
	d.board.Forget(f.key)
	if newWorkers(d.board).next() != nil {
		t.Error("it is still in line")
	}
	d.board.jobOf(f)
	d.board.finished(f, plan.Step{Action: plan.Wait, Until: time.Now()})
	if newWorkers(d.board).next() != nil {
		t.Error("it came back from a hand into the line")
	}
}

// A folder that left another root is known by a file that it was read with there, although that root was not
// read since: it may have lost another photo before.
func TestFolderIsKnownByAFileBeforeItsRootIsRead(t *testing.T) {
	d, f := withFolder()
	d.board.onSnapshot(watcher.Snapshot{
		Root: f.key.Root, Folder: f.key.Path, Present: true, Frames: []watcher.File{{Name: "1.jpg", ID: 7}, {Name: "2.jpg"}},
	})
	for id, want := range map[volume.FileID]int{7: 1, 8: 0, 0: 0} {
		if got := d.board.Candidates([]watcher.File{{Name: "a.jpg", ID: id}}); len(got) != want {
			t.Errorf("by the file %d: %v", id, got)
		}
	}
}

func TestFolderIsInOneHand(t *testing.T) {
	d, f := withFolder()
	_, release, free := d.board.Hold(f.key)
	if !free {
		t.Fatal("a folder in no hand cannot be held")
	}
	if newWorkers(d.board).next() != nil {
		t.Error("it was given out while it was held")
	}
	release()
	if newWorkers(d.board).next() != f {
		t.Error("it was not given out afterwards")
	}
	if _, _, free := d.board.Hold(f.key); free {
		t.Error("it was held while it was in a hand")
	}
}

// A reading of a root that is back brings its folders before it has the root online. What a worker
// decided in between is decided again.
func TestFolderIsPlannedAgainWhenItsRootIsBack(t *testing.T) {
	d := idleDaemon(t)
	for root, back := range map[string]bool{d.config.Watch[0].Path: true, "/away": false} {
		f := d.board.newFolder(syncstate.Folder{Root: root, Path: "Summer/SKU-1"})
		d.board.folders.all[f.key] = f
		d.board.jobOf(f)
		away := plan.Step{Action: plan.Wait, Cause: status.Because(status.RootOffline), Until: time.Now().Add(time.Hour)}
		d.board.finished(f, away)
		if d.board.queue.Standing(f.key) != back {
			t.Errorf("root %s: it stands in line: %t", root, !back)
		}
	}
}

// A folder that waits for its root is planned again with the news that the root is online.
func TestNewsOfARootEndsTheWaitForIt(t *testing.T) {
	d := idleDaemon(t)
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	d.board.folders.all[f.key] = f
	f.last = plan.Step{Action: plan.Wait, Cause: status.Because(status.RootOffline)}
	d.board.queue.AddAt(f.key, time.Now().Add(time.Hour), schedule.New)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	err := d.serve(ctx, func() (left time.Duration) {
		d.board.folders.with(f.key, func(f *folder) {
			if f.last.Cause.Is(status.RootOffline) {
				left = time.Hour
			}
		})
		return left
	})
	if err != nil || ctx.Err() != nil {
		t.Errorf("it still waits; %v", err)
	}
}
