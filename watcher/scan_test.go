package watcher

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// withoutEvents runs a script on a root that is read without events, whose folders became idle and
// were left alone for a while.
func withoutEvents(t *testing.T, folders int, script func(*world), options ...func(*Root)) {
	t.Helper()
	poll := func(cfg *Root) { cfg.Poll = true }
	inBubble(t, func(x *world) {
		for i := range folders {
			x.write(nth(i)+"/1.jpg", "frame")
			x.write(nth(i)+"/2.jpg", "frame")
		}
		x.start()
		x.pass(10 * time.Second)
		for i := range folders {
			x.w.SetIdle(x.root, nth(i), x.seen.of(nth(i)).Fingerprint)
		}
		x.pass(20 * time.Minute)
		script(x)
	}, append(options, poll)...)
}

func nth(i int) string { return fmt.Sprintf("Summer/%03d", i) }

// overwrite changes a frame in place: its folder keeps its time, and no event comes.
func (x *world) overwrite(below string) {
	x.t.Helper()
	f, err := os.OpenFile(x.path(below), os.O_WRONLY|os.O_APPEND, 0)
	x.do(err)
	_, err = f.WriteString("another")
	x.do(err)
	x.do(f.Close())
}

// A frame that is overwritten in place is seen within 30 s without an event, and a new folder
// within 10 s.
func TestScans(t *testing.T) {
	withoutEvents(t, 90, func(x *world) {
		for _, i := range []int{0, 37, 89} {
			before := x.seen.times(nth(i))
			x.overwrite(nth(i) + "/2.jpg")
			x.pass(30 * time.Second)
			if x.seen.times(nth(i)) == before {
				x.t.Errorf("%s: the overwritten frame is not seen within 30 s", nth(i))
			}
			x.pass(20 * time.Minute)
		}
		for _, first := range []string{"Summer/new", "Winter/new"} {
			x.write(first+"/1.jpg", "frame")
			x.pass(10 * time.Second)
			if !x.seen.of(first).Present {
				x.t.Errorf("%s is not seen within 10 s", first)
			}
			x.pass(20 * time.Minute)
		}
	})
}

// After a restart the folders that became idle lately are listed in turn, and no others.
func TestScansAfterRestart(t *testing.T) {
	withoutEvents(t, 2, func(before *world) {
		known := map[string]Idle{
			nth(0): {Fingerprint: before.seen.of(nth(0)).Fingerprint, At: time.Now().Add(-3 * 24 * time.Hour)},
			nth(1): {Fingerprint: before.seen.of(nth(1)).Fingerprint, At: time.Now().Add(-30 * 24 * time.Hour)},
		}
		before.end()
		before.stop = nil
		x := newWorld(before.t, before.root, func(cfg *Root) { cfg.Poll, cfg.Known, cfg.Rescan = true, known, 24*time.Hour })
		x.start()
		x.pass(time.Hour)
		var listed [2]atomic.Int64
		x.onRead(func(read string) error {
			for i := range listed {
				if read == x.path(nth(i)) {
					listed[i].Add(1)
				}
			}
			return nil
		})
		x.pass(10 * time.Minute)
		if lately, longAgo := listed[0].Load(), listed[1].Load(); lately < 20 || longAgo > 0 {
			t.Errorf("in 10 minutes the folder of 3 days ago was listed %d times, that of 30 days ago %d times", lately, longAgo)
		}
	})
}

// On a slow drive the scans keep to their share of the time, and a new folder is still seen soon.
func TestScansOfSlowDrive(t *testing.T) {
	withoutEvents(t, 400, func(x *world) {
		var reads atomic.Int64
		x.onRead(func(string) error {
			reads.Add(1)
			time.Sleep(100 * time.Millisecond)
			return nil
		})
		x.pass(10 * time.Minute)
		const share = 10 * 60 * 10 * walkers / scanShare // of the 10 readings a second of each walker
		if n := reads.Load(); n > share || n < share/10 {
			x.t.Errorf("%d directories were read in 10 minutes, the share of the scans is %d", n, share)
		}
		x.write("Summer/new/1.jpg", "frame")
		x.pass(10 * time.Second)
		if !x.seen.of("Summer/new").Present {
			x.t.Error("the new folder is not seen within 10 s")
		}
	}, func(cfg *Root) { cfg.Rescan = 24 * time.Hour })
}

// Where every folder has a watch nothing is scanned.
func TestNoScansBesideWatches(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write("Summer/shoe/1.jpg", "frame")
		x.start()
		x.pass(time.Hour)
		reads := countReads(x)
		x.pass(time.Hour)
		if n := reads(); n > 0 {
			x.t.Errorf("%d directories were read in an idle hour", n)
		}
	}, func(cfg *Root) { cfg.Rescan = 24 * time.Hour })
}
