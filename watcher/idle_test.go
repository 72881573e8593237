package watcher

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
)

// becomeIdle waits until the files of a folder are still, and sets its listing idle.
func (x *world) becomeIdle(folder string) {
	x.pass(10 * time.Second)
	x.w.SetIdle(x.root, folder, x.seen.of(folder).Fingerprint)
	x.pass(time.Second)
}

// TestIdleFolderChangesDuringAWholeRead: a whole read leaves out the files of idle folders. When an
// event names one of them while it is read, it is read again, and its files are reported.
func TestIdleFolderChangesDuringAWholeRead(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.becomeIdle(shoe)
		before := x.seen.times(shoe)
		x.w.Rescan()
		x.pass(time.Second)
		if again := x.seen.times(shoe); again != before {
			x.t.Errorf("an idle folder was reported %d times by a whole read", again-before)
		}

		event := sync.OnceFunc(func() { x.hint(events.Altered, shoe+"/1.jpg") })
		x.onRead(func(read string) error {
			if read == x.path(shoe) {
				event()
			}
			return nil
		})
		x.w.Rescan()
		x.pass(time.Second)
		x.expect(shoe, "1.jpg")
		x.pass(10 * time.Second)
		x.expect(shoe, "1.jpg!")
	})
}

// TestIdleFolderRests: the watch of a folder that has become idle may end, and that of any other not.
func TestIdleFolderRests(t *testing.T) {
	inBubble(t, func(x *world) {
		var rested atomic.Int32
		x.tree.watches.open = func(context.Context) (watchSet, error) {
			return &attentive{func(dir string) {
				if dir == shoe {
					rested.Add(1)
				}
			}}, nil
		}
		x.stock()
		x.start()
		x.pass(10 * time.Second)
		if rested.Load() != 0 {
			x.t.Error("a folder is not watched in which something may happen")
		}
		x.becomeIdle(shoe)
		if rested.Load() == 0 {
			x.t.Error("an idle folder keeps its watch")
		}
	})
}

// TestLeftoverLetsItsFolderBecomeIdle: a temporary file that was left behind does not keep its
// folder from becoming idle, and the folder is read again when a program goes on with it.
func TestLeftoverLetsItsFolderBecomeIdle(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write(shoe+"/1.jpg", "frame")
		x.write(shoe+"/2.jpg.part", "fra")
		x.start()
		x.becomeIdle(shoe)
		reads := countReads(x)
		x.pass(2 * time.Minute)
		if n := reads(); n != 0 {
			x.t.Errorf("the folder was read %d times while it was idle", n)
		}
		x.save(shoe+"/2.jpg.part", "frame")
		x.pass(time.Second)
		if b := x.seen.of(shoe).Busy; len(b) != 1 || b[0].Size != 5 || b[0].Frame != "2.jpg" {
			x.t.Errorf("busy: %+v", b)
		}
	})
}

// TestWatchLazily: where watches are lazy, an idle folder costs none, also when somebody reads it.
// What happens in it is still found, and from then on it is watched.
func TestWatchLazily(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		before := newWorld(t, dir)
		before.write("p/a/1.jpg", "frame")
		before.start()
		before.pass(10 * time.Second)
		known := map[string]Idle{"p/a": {Fingerprint: before.seen.of("p/a").Fingerprint}}
		before.end()

		x := newWorld(t, dir, func(r *Root) { r.Known = known })
		x.w.WatchLazily()
		var made atomic.Int32
		x.tree.watches.open = func(context.Context) (watchSet, error) {
			made.Add(1)
			return &attentive{}, nil
		}
		x.start()
		x.pass(10 * time.Second)
		if _, err := x.w.ReadFolder(t.Context(), dir, "p/a"); err != nil {
			t.Error(err)
		}
		x.pass(10 * time.Second)
		if s := x.seen.of("p/a"); !s.Idle || made.Load() > 0 {
			t.Errorf("idle: %v, watches made %d times", s.Idle, made.Load())
		}
		x.write("p/a/2.jpg", "frame")
		x.pass(time.Minute)
		x.expect("p/a", "1.jpg! 2.jpg!")
		if n := made.Load(); n != 1 {
			t.Errorf("watches made %d times", n)
		}
	})
}
