package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// cutOff is a JPEG that ends before its end marker.
const cutOff = "\xff\xd8\xff\xda\x00\x02 half"

// writeBelow writes a file below the root of an idle daemon.
func writeBelow(t *testing.T, d *Daemon, name, content string) os.FileInfo {
	t.Helper()
	path := filepath.Join(d.config.Watch[0].Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestPatienceWithABrokenFrameIsTheDisks: a broken frame has its minute since it was last written
// to, where the disk tells that, and not from the first look of each process. One that may be
// written this moment has all of it.
func TestPatienceWithABrokenFrameIsTheDisks(t *testing.T) {
	d := idleDaemon(t)
	info := writeBelow(t, d, "Summer/SKU-1/frame_01.jpg", cutOff)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	now := time.Now()
	for name, test := range map[string]struct {
		changed time.Time
		person  bool
	}{
		"long ago":       {now.Add(-time.Hour), true},
		"a moment ago":   {now.Add(-time.Second), false},
		"in the future":  {now.Add(time.Hour), false},
		"it is not told": {time.Time{}, false},
	} {
		f := watcher.File{Name: info.Name(), Size: info.Size(), ModTime: info.ModTime(), Still: true}
		if !test.changed.IsZero() {
			f.Changed = test.changed.UnixNano()
		}
		j := d.board.jobOf(d.board.newFolder(key))
		j.Folder.Snapshot = watcher.Snapshot{Root: key.Root, Folder: key.Path, Present: true, Frames: []watcher.File{f}}
		if err := j.Folder.ReadFrames(t.Context(), j.Folder.Snapshot.Frames, false); err != nil {
			t.Fatal(err)
		}
		s, err := j.Scene()
		if err != nil {
			t.Fatal(err)
		}
		if next := plan.Next(s); (next.State == status.Attention) != test.person {
			t.Errorf("changed last %s: %s, %s", name, next.State, plantest.Words(next.Cause))
		}
	}
}

// TestPreviewOfABrokenFrame: if nothing changes any more, a frame that is cut off is a matter for a
// person.
func TestPreviewOfABrokenFrame(t *testing.T) {
	d := idleDaemon(t)
	writeBelow(t, d, "Summer/SKU-1/frame_01.jpg", cutOff)
	got, err := d.Survey(t.Context())
	want := []status.Preview{{
		Root: d.config.Watch[0].Path, Folder: "Summer/SKU-1", Does: "attention",
		Detail: "frame_01.jpg: the file is cut off: its end is missing; shoot or export it again, or remove it",
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("preview: %v\n%s", err, diff)
	}
}
