package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// withFolder is a daemon that knows one folder, which is due.
func withFolder() (*Daemon, *folder) {
	d := DaemonOf(publish.Publisher{Files: reading.Files{Watcher: new(watcher.Watcher)}, Slots: schedule.NewSlots(config.Upload{}, nil)})
	key := syncstate.Folder{Root: "/shoots", Path: "Summer/SKU-1"}
	f := d.board.newFolder(key)
	f.newest = &watcher.Snapshot{}
	d.board.folders[key] = f
	d.board.queue.Add(key, schedule.New)
	return d, f
}

// A folder that was taken over or forgotten while it stood in line would never be done with: nobody
// hears of it any more.
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
