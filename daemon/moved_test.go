package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// withFolder is a daemon that knows one folder, which is due.
func withFolder() (*Daemon, *folder) {
	d := DaemonOf(publish.Publisher{Files: publish.Files{Watcher: new(watcher.Watcher)}, Slots: schedule.NewSlots(config.Upload{}, nil)})
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
	if newWorkers(d).next() != nil {
		t.Error("it is still in line")
	}
	d.board.jobOf(f)
	d.board.finished(f, plan.Step{Action: plan.Wait, Until: time.Now()})
	if newWorkers(d).next() != nil {
		t.Error("it came back from a hand into the line")
	}
}

func TestFolderIsInOneHand(t *testing.T) {
	d, f := withFolder()
	_, release, free := d.board.Hold(f.key)
	if !free {
		t.Fatal("a folder in no hand cannot be held")
	}
	if newWorkers(d).next() != nil {
		t.Error("it was given out while it was held")
	}
	release()
	if newWorkers(d).next() != f {
		t.Error("it was not given out afterwards")
	}
	if _, _, free := d.board.Hold(f.key); free {
		t.Error("it was held while it was in a hand")
	}
}

// What is read of a frame to recognise its folder is no reading at rest when the frame is only
// foreseen to be there.
func TestForeseenFrameIsNotReadAtRest(t *testing.T) {
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	path := filepath.Join(key.Root, key.Path, "1.tif")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("no picture"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := watcher.New([]watcher.Root{{Path: key.Root, Depth: 1, Settle: time.Second, Include: []string{"*.tif"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := watcher.File{Name: "1.tif", Size: info.Size(), ModTime: info.ModTime()}
	j := &publish.Job{Publisher: &publish.Publisher{Files: publish.Files{Watcher: all}}, Key: key, Root: &publish.Root{Readers: make(chan struct{}, 1)}, Snapshot: watcher.Snapshot{Frames: []watcher.File{f}}}
	if _, err := j.DigestOf(t.Context(), plan.AtRest(j.Snapshot.Frames)[0]); err != nil {
		t.Fatal(err)
	}
	if r, ok := j.Readings[f.Name]; !ok || !r.Early {
		t.Errorf("the reading is %+v", r)
	}
}
