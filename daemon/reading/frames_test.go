package reading

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A frame that another program holds is waited for, whenever that shows, and is not broken.
func TestHeldFrameIsWaitedFor(t *testing.T) {
	folder, _, _ := aFile(t, func(string) error { return syscall.EBUSY })
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

// A drive may report one size and time until a file is closed. What was read of a frame before its
// last change is not believed, and neither is for long that it is broken. One that proved broken when
// all of it was read stays so.
func TestReadingsGetOld(t *testing.T) {
	then := time.Now()
	p, cut := &Folder{Readings: map[string]plan.Reading{}}, plan.Reading{Broken: "cut", Glanced: then}
	for name, r := range map[string]plan.Reading{
		"whole": {Whole: true, Changed: 1}, "on a drive without that time": {Whole: true}, "written since": {Whole: true, Changed: 2},
		"cut": cut, "spoilt inside": {Broken: "spoilt"},
	} {
		p.Readings[name] = r
		p.Snapshot.Frames = append(p.Snapshot.Frames, watcher.File{Name: name, Changed: 1})
	}
	for after, want := range map[time.Duration][]string{
		glanceAgainAfter - 1: {"cut", "on a drive without that time", "spoilt inside", "whole"},
		glanceAgainAfter:     {"on a drive without that time", "spoilt inside", "whole"},
	} {
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(p.current(then.Add(after))))); diff != "" || len(p.Readings) != 5 {
			t.Errorf("after %s: %d readings\n%s", after, len(p.Readings), diff)
		}
	}
}

// A photo that a slow program completes under its old size and time is read again, before a person is
// called to it and when its folder is planned again. Its folder has changed then.
func TestBrokenFrameIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := photo(t)
		p := aFolder(t, map[string]string{"1.jpg": whole[:len(whole)-20] + strings.Repeat("\x00", 20)})
		unread := func() []watcher.File {
			return plan.Judge(p.factsNow(), syncstate.Record{}, time.Now()).Unread
		}
		read := func() plan.Reading {
			err := p.ReadFrames(t.Context(), unread(), false)
			last := p.Readings["1.jpg"]
			if errors.Is(err, outcome.ErrChanged) != last.Whole || err != nil && !last.Whole {
				t.Fatalf("%+v, %v", last, err)
			}
			return last
		}
		first := read()
		if first.Broken == "" || len(unread()) > 0 {
			t.Fatalf("read as %+v, unread are %v", first, unread())
		}
		time.Sleep(plan.BrokenPatience)
		if again := read(); again.Broken != first.Broken || !again.Since.Equal(first.Since) || again.Glanced.Equal(first.Glanced) {
			t.Errorf("read again as %+v, after %+v", again, first)
		}
		put(t, p, "1.jpg", whole) // with the same size and time
		time.Sleep(glanceAgainAfter)
		if last := read(); !last.Whole {
			t.Errorf("completed, and read as %+v", last)
		}
	})
}

// Nothing is believed of a frame that changes while it is read. A reading of other bytes would hold
// as soon as the file is put back as it was, with its time.
func TestFrameChangesWhileItIsRead(t *testing.T) {
	folder, path, _ := aFile(t, func(path string) error {
		if filepath.Ext(path) == ".jpg" {
			writeAt(t, path, "another photo")
		}
		return nil
	})
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
		folder, _, _ := aFile(t, func(string) error {
			if fails {
				return syscall.EIO
			}
			return nil
		})
		need := plan.Need{Frames: folder.Snapshot.Frames}
		blind := func() *plan.Blind { return folder.factsNow().Blind }
		if err := folder.Read(t.Context(), plan.Facts{}, need); !errors.Is(err, syscall.EIO) || blind() == nil || !errors.Is(blind().Err, syscall.EIO) {
			t.Fatalf("%v, blind %+v", err, blind())
		}
		folder.Snapshot.Fingerprint = watcher.Fingerprint{2}
		if blind() != nil {
			t.Error("another listing is not read")
		}
		folder.Snapshot.Fingerprint = watcher.Fingerprint{1}
		if time.Sleep(plan.AccessPause); blind() != nil {
			t.Error("it is never read again")
		}
		if err := folder.Read(t.Context(), plan.Facts{}, need); err == nil || blind() == nil {
			t.Errorf("again: %v, blind %+v", err, blind())
		}
		fails = false
		if err := folder.Read(t.Context(), plan.Facts{}, need); err != nil || blind() != nil {
			t.Errorf("read: %v, blind %+v", err, blind())
		}
	})
}

// Broken frames that were read in one round are old at the same time: a round that takes long ends, and
// its first frames need not be read again at once.
func TestRoundOfBrokenFramesEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder, path, _ := aFile(t, func(path string) error {
			if filepath.Ext(path) == ".jpg" {
				time.Sleep(glanceAgainAfter / 2)
			}
			return nil
		})
		folder.Snapshot.Frames = nil
		for _, name := range []string{"1.jpg", "2.jpg", "3.jpg", "4.jpg"} {
			info := writeAt(t, filepath.Join(filepath.Dir(path), name), "no photo")
			folder.Snapshot.Frames = append(folder.Snapshot.Frames, watcher.File{Name: name, Size: info.Size(), ModTime: info.ModTime(), Still: true})
		}
		began := time.Now()
		if err := folder.ReadFrames(t.Context(), folder.Snapshot.Frames, false); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took <= glanceAgainAfter || len(folder.current(time.Now())) != 4 {
			t.Errorf("after a round of %s %d of 4 frames are known", took, len(folder.current(time.Now())))
		}
		if time.Sleep(glanceAgainAfter); len(folder.current(time.Now())) != 0 {
			t.Error("broken frames are not read again")
		}
	})
}
