package sending

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/reading"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// The bytes of a try that failed count no more. Those of other uploads stay.
func TestFailedTryIsNotCounted(t *testing.T) {
	var sum atomic.Int64
	sum.Store(100)
	m := &meter{slots: schedule.NewSlots(config.Upload{}, new(schedule.Priorities)), sum: &sum}
	for _, text := range []string{"half a photo", "a photo", "a photo"} {
		m.undo()
		if _, err := m.Write([]byte(text)); err != nil || sum.Load() != 100+int64(len(text)) {
			t.Errorf("after %q the sum is %d, %v", text, sum.Load(), err)
		}
	}
	m.undo()
	m.undo()
	if sum.Load() != 100 {
		t.Errorf("after a failure the sum is %d", sum.Load())
	}
}

// A person knows a photo by its name on the disk, not by the name that it is stored under.
func TestFailedUploadNamesTheLocalFile(t *testing.T) {
	sent := errors.Join(&apiclient.Error{Op: "upload 1x-0001.jpg", Status: 500})
	if text := namedLocally(sent, "Shoe 1.jpg").Error(); !strings.Contains(text, "Shoe 1.jpg") {
		t.Errorf("shown as %q", text)
	}
	broken := errors.New("broken")
	if namedLocally(broken, "Shoe 1.jpg") != broken {
		t.Error("an error of the disk became another one")
	}
}

// A photo that a glance found broken just before it was sent is glanced at again: its drive may have
// been wrong for a moment.
func TestGlanceBeforeAnUploadIsNotBelievedForLong(t *testing.T) {
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	path := filepath.Join(key.Root, key.Path, "1.jpg")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("\xff\xd8 cut off"), 0o644)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := watcher.New([]watcher.Root{{Path: key.Root, Depth: 1, Settle: time.Second, Include: []string{"*.jpg"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := watcher.File{Name: "1.jpg", Size: info.Size(), ModTime: info.ModTime(), ID: volume.FileIDOf(info)}
	w := Sender{Folder: reading.New(reading.Files{Watcher: roots}, key, new(reading.Root))}
	sent := w.Send(t.Context(), plan.Scene{}, syncstate.RunFrame{File: plan.FileOf(f)}, false)
	if sent.Corrupt == nil || sent.Corrupt.Broken == "" || !sent.Corrupt.Glanced.Equal(sent.Corrupt.Since) {
		t.Errorf("sent as %+v, %v", sent.Corrupt, sent.Err)
	}
}
