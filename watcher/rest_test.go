package watcher

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestFolderAtRestChangesDuringAWholeRead: a whole read leaves out the files of folders at rest.
// When an event tells of such a folder while it is read, it is looked at, and its files are told
// again.
func TestFolderAtRestChangesDuringAWholeRead(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir)
		x.write("p/a/1.jpg", "frame")
		x.write("p/a/2.jpg", "frame")
		x.start()
		x.pass(10 * time.Second)
		x.expect("p/a", "1.jpg! 2.jpg!")
		x.w.Rest(dir, "p/a", x.seen.of("p/a").Fingerprint)
		x.pass(time.Second)
		told := x.seen.times("p/a")
		x.w.Rescan()
		x.pass(time.Second)
		if again := x.seen.times("p/a"); again != told {
			t.Errorf("a folder at rest was told %d times by a whole read", again-told)
		}

		event := sync.OnceFunc(func() { x.hint(altered, "p/a/1.jpg") })
		x.onRead(func(read string) error {
			if read == filepath.Join(dir, "p", "a") {
				event()
			}
			return nil
		})
		x.w.Rescan()
		x.pass(time.Second)
		x.expect("p/a", "1.jpg 2.jpg!")
		x.pass(10 * time.Second)
		x.expect("p/a", "1.jpg! 2.jpg!")
	})
}

// TestLeftoverComesToRest: a temporary file that was left behind does not keep its folder from
// coming to rest, and the folder is looked at again when a program goes on with it.
func TestLeftoverComesToRest(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir)
		x.write("p/a/1.jpg", "frame")
		x.write("p/a/2.jpg.part", "fra")
		x.start()
		x.pass(10 * time.Second)
		x.w.Rest(dir, "p/a", x.seen.of("p/a").Fingerprint)
		x.pass(time.Second)
		reads := countReads(x)
		x.pass(2 * time.Minute)
		if n := reads(); n != 0 {
			t.Errorf("the folder was read %d times at rest", n)
		}
		x.save("p/a/2.jpg.part", "frame")
		x.pass(time.Second)
		if b := x.seen.of("p/a").Busy; len(b) != 1 || b[0].Size != 5 || b[0].Frame != "2.jpg" {
			t.Errorf("busy: %+v", b)
		}
	})
}

// TestWatchSparingly: where watches are spared, a folder at rest costs none, also when somebody
// looks at it. What happens in it is found all the same, and from then on it is watched.
func TestWatchSparingly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		before := newWorld(t, dir)
		before.write("p/a/1.jpg", "frame")
		before.start()
		before.pass(10 * time.Second)
		known := map[string]Rested{"p/a": {Fingerprint: before.seen.of("p/a").Fingerprint}}
		before.end()

		x := newWorld(t, dir, func(r *Root) { r.Known = known })
		x.w.WatchSparingly()
		var made atomic.Int32
		x.tree.newWatches = func(context.Context) (watchSet, error) {
			made.Add(1)
			return &attentive{}, nil
		}
		x.start()
		x.pass(10 * time.Second)
		if _, err := x.w.Look(t.Context(), dir, "p/a"); err != nil {
			t.Error(err)
		}
		x.pass(10 * time.Second)
		if s := x.seen.of("p/a"); !s.AtRest || made.Load() > 0 {
			t.Errorf("at rest: %v, watches made %d times", s.AtRest, made.Load())
		}
		x.write("p/a/2.jpg", "frame")
		x.pass(time.Minute)
		x.expect("p/a", "1.jpg! 2.jpg!")
		if n := made.Load(); n != 1 {
			t.Errorf("watches made %d times", n)
		}
	})
}
