package reading

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/watcher"
)

// A frame that another program holds is waited for, whenever that shows, and is not broken.
func TestHeldFrameIsWaitedFor(t *testing.T) {
	folder, _, file := aFile(t, func(string) error { return syscall.EBUSY })
	folder.Snapshot = watcher.Snapshot{Frames: []watcher.File{{Name: file.Name, Size: file.Size, ModTime: file.ModTime, Still: true}}}
	err := folder.ReadFrames(t.Context(), folder.Snapshot.Frames, false)
	if o := outcome.Of(err); o == nil || o.Kind != outcome.Waits || !strings.Contains(o.Error(), "1.jpg ("+watcher.HeldByOther+")") {
		t.Error(err)
	}
	if len(folder.Readings) > 0 {
		t.Errorf("readings %+v", folder.Readings)
	}
	if err := heldBack("1.jpg", syscall.EIO); err != syscall.EIO {
		t.Errorf("another error: %v", err)
	}
}

// A frame that ends in zeros is believed when it has been unchanged for a while, and keeps no other
// frame from being read.
func TestHollowFrameIsWaitedFor(t *testing.T) {
	folder, path, _ := aFile(t)
	hollow := append([]byte("\x00\x00\x00\x10ftypmp42\x00\x00\x00\x00\x00\x00\x00\x08moov\x00\x00\x01\x08mdat"), make([]byte, 256)...)
	writeAt(t, filepath.Join(filepath.Dir(path), "2.jpg"), string(hollow))
	for unchanged, want := range map[time.Duration]bool{hollowPatience - time.Second: false, hollowPatience: true} {
		folder.Snapshot.Frames, folder.Readings = nil, nil
		for _, name := range []string{"1.jpg", "2.jpg"} {
			info, err := os.Stat(filepath.Join(filepath.Dir(path), name))
			if err != nil {
				t.Fatal(err)
			}
			folder.Snapshot.Frames = append(folder.Snapshot.Frames, watcher.File{
				Name: name, Size: info.Size(), ModTime: info.ModTime(), Still: true, Since: time.Now().Add(-unchanged),
			})
		}
		err := folder.ReadFrames(t.Context(), folder.Snapshot.Frames, false)
		if waits := outcome.Is(err, outcome.Waits); waits == want || folder.Readings["2.jpg"].Whole != want || folder.Readings["1.jpg"].Broken == "" {
			t.Errorf("unchanged for %s: %v, readings %+v", unchanged, err, folder.Readings)
		}
	}
}

// Nothing is believed of a frame that changes while it is read. A reading of other bytes would hold
// as soon as the file is put back as it was, with its time.
func TestFrameChangesWhileItIsRead(t *testing.T) {
	folder, path, file := aFile(t, func(path string) error {
		if filepath.Ext(path) == ".jpg" {
			writeAt(t, path, "another photo")
		}
		return nil
	})
	folder.Snapshot = watcher.Snapshot{Frames: []watcher.File{{Name: file.Name, Size: file.Size, ModTime: file.ModTime, Still: true}}}
	err := folder.ReadFrames(t.Context(), folder.Snapshot.Frames, true)
	if content, _ := os.ReadFile(path); string(content) != "another photo" {
		t.Fatalf("the file holds %q", content)
	}
	if !errors.Is(err, outcome.ErrChanged) || len(folder.Readings) > 0 {
		t.Errorf("%v, readings %+v", err, folder.Readings)
	}
}

// A reading that failed is put off for a while. It is tried at once when the listing is another one,
// and what was read ends the failure.
func TestReadingThatFailedIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := true
		folder, _, file := aFile(t, func(string) error {
			if fails {
				return syscall.EIO
			}
			return nil
		})
		folder.Snapshot.Frames = []watcher.File{{Name: file.Name, Size: file.Size, ModTime: file.ModTime, Still: true}}
		need := plan.Need{Frames: folder.Snapshot.Frames}
		blind := func() *plan.Blind {
			s := plan.Scene{Now: time.Now()}
			folder.Fill(&s)
			return s.Blind
		}
		if err := folder.Read(t.Context(), plan.Scene{}, need); !errors.Is(err, syscall.EIO) || blind() == nil || !errors.Is(blind().Err, syscall.EIO) {
			t.Fatalf("%v, blind %+v", err, blind())
		}
		folder.Snapshot.Fingerprint = watcher.Fingerprint{2}
		if blind() != nil {
			t.Error("another listing is not read")
		}
		folder.Snapshot.Fingerprint = watcher.Fingerprint{}
		if time.Sleep(plan.AccessPause); blind() != nil {
			t.Error("it is never read again")
		}
		if err := folder.Read(t.Context(), plan.Scene{}, need); err == nil || blind() == nil {
			t.Errorf("again: %v, blind %+v", err, blind())
		}
		fails = false
		if err := folder.Read(t.Context(), plan.Scene{}, need); err != nil || blind() != nil {
			t.Errorf("read: %v, blind %+v", err, blind())
		}
	})
}
