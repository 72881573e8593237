package watcher

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
	"spinsync/watcher/traffic"
	"spinsync/watcher/volume"
)

// readAll reads these files side by side, and tells how long that took.
func (x *world) readAll(folder string, names ...string) time.Duration {
	x.t.Helper()
	began := time.Now()
	var readers sync.WaitGroup
	for _, name := range names {
		readers.Go(func() {
			f, err := x.w.Open(x.root, folder, name)
			if err != nil {
				x.t.Error(err)
				return
			}
			defer f.Close()
			if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, f, make([]byte, 32<<10)); err != nil {
				x.t.Error(err)
			}
		})
	}
	readers.Wait()
	return time.Since(began)
}

// TestReadingMakesWayForACamera: while frames are written anywhere below a root, and until a second
// later, its files are read one at a time and with a pause after each piece. Other files
// ask for no pause, nor does a frame that goes away.
func TestReadingMakesWayForACamera(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir)
		const pieces = 4
		big := strings.Repeat("x", pieces*traffic.PieceSize)
		x.write("p/done/a.jpg", big)
		x.write("p/done/b.jpg", big)
		x.start()
		free := func(when string) {
			t.Helper()
			if took := x.readAll("p/done", "a.jpg", "b.jpg"); took != 0 {
				t.Errorf("%s reading waited for %v", when, took)
			}
		}
		free("at the start")
		x.save("p/table/notes.txt", "new")
		x.save("p/table/Thumbs.db", "new")
		x.hint(events.Gone, "p/table/1.jpg")
		x.hint(events.Touched, "p/done/a.jpg")
		synctest.Wait()
		free("without a frame")

		x.save("p/table/1.jpg", "frame")
		synctest.Wait()
		if took := x.readAll("p/done", "a.jpg", "b.jpg"); took != 2*pieces*traffic.LeastPause {
			t.Errorf("beside a camera two files of %d pieces took %v", pieces, took)
		}
		if got := x.w.Shooting()[dir]; len(got) != 1 || got[0] != "p/table" {
			t.Errorf("the folders that are shot are %q", got)
		}
		x.pass(shootingLasts)
		free("a second after the last frame")
		if got := x.w.Shooting(); len(got) != 0 {
			t.Errorf("still shot: %v", got)
		}
	})
}

// TestReadAtBesideACamera: a reading at an offset gives all that was asked for, whatever the size
// of the pieces.
func TestReadAtBesideACamera(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir)
		x.write("p/done/a.jpg", strings.Repeat("x", traffic.PieceSize)+strings.Repeat("y", traffic.PieceSize)+"z")
		x.start()
		x.save("p/table/1.jpg", "frame")
		synctest.Wait()
		f, err := x.w.Open(x.root, "p/done", "a.jpg")
		x.do(err)
		defer f.Close()
		buf := make([]byte, 2*traffic.PieceSize)
		if n, err := f.ReadAt(buf, 1); n != len(buf) || err != nil || buf[len(buf)-1] != 'z' || buf[0] != 'x' {
			t.Errorf("%d bytes, the last %q, %v", n, buf[len(buf)-1], err)
		}
		if n, err := f.ReadAt(buf, 2); n != len(buf)-1 || err != io.EOF {
			t.Errorf("beyond the end: %d bytes, %v", n, err)
		}
	})
}

// TestPolledRootMakesWayForACamera: where no events come, the looks tell that a folder is shot.
func TestPolledRootMakesWayForACamera(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir, func(r *Root) { r.Poll = true })
		x.write("p/table/1.jpg", "frame")
		x.start()
		if got := x.w.Shooting(); len(got) != 0 {
			t.Errorf("what the first reading found is not new: %v", got)
		}
		x.pass(3 * time.Second)
		x.write("p/table/2.jpg", "frame")
		for range 50 {
			if x.pass(100 * time.Millisecond); len(x.w.Shooting()) > 0 {
				return
			}
		}
		t.Error("nobody noticed the camera")
	})
}

// TestDriveMakesWayForACamera: where only looks tell of the next frame, a camera counts as at work
// from one look to the next, and the looks come often, however long a frame takes to settle.
func TestDriveMakesWayForACamera(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir, func(r *Root) { r.Settle = time.Minute })
		x.standOn(func(root string) (volume.Volume, error) {
			g, err := volume.Survey(root)
			g.Network = true
			return g, err
		})
		x.write("p/table/00.jpg", "frame")
		x.start()
		x.pass(3 * time.Second)
		const (
			each   = 500 * time.Millisecond
			behind = 6 // frames: those that come between two looks, and two more
		)
		for n := 1; n <= 40; n++ {
			x.write(fmt.Sprintf("p/table/%02d.jpg", n), "frame")
			x.pass(each)
			if n < behind {
				continue
			}
			if known := len(x.seen.of("p/table").Frames); known < n+1-behind {
				t.Errorf("%d of %d frames are known", known, n+1)
			}
			if len(x.w.Shooting()) == 0 {
				t.Errorf("after %d frames nobody knows of the camera", n)
			}
		}
		x.pass(2*pollUnwatched + shootingLasts)
		if got := x.w.Shooting(); len(got) != 0 {
			t.Errorf("still shot: %v", got)
		}
	})
}

// TestWholeReadMakesWayForACamera: while frames are written, one directory after the other is read.
func TestWholeReadMakesWayForACamera(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		x := newWorld(t, dir)
		for n := range 2 * smallTree {
			x.write(fmt.Sprintf("p/%03d/1.jpg", n), "frame")
		}
		x.start()
		var reading, most atomic.Int64
		x.onRead(func(string) error {
			if now := reading.Add(1); now > most.Load() {
				most.Store(now)
			}
			time.Sleep(time.Millisecond)
			reading.Add(-1)
			return nil
		})
		sideBySide := func() int64 {
			most.Store(0)
			x.w.Rescan()
			x.pass(900 * time.Millisecond)
			return most.Load()
		}
		if got := sideBySide(); got < 2 {
			t.Errorf("%d directory at a time is read while nobody shoots", got)
		}
		x.pass(time.Minute)
		x.save("p/000/2.jpg", "frame")
		x.pass(50 * time.Millisecond)
		if got := sideBySide(); got > 2 { // the tree, and the look at what is shot
			t.Errorf("%d directories at a time are read beside a camera", got)
		}
	})
}
