package watcher

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
)

// TestCameraBelowARoot: a folder counts as being shot while its frames are written, and until a second
// later. Other files and a frame that goes away are no shooting.
func TestCameraBelowARoot(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write("p/done/a.jpg", "frame")
		x.start()
		x.save("p/table/notes.txt", "new")
		x.save("p/table/Thumbs.db", "new")
		x.hint(events.Gone, "p/table/1.jpg")
		x.hint(events.Touched, "p/done/a.jpg")
		synctest.Wait()
		if got := x.w.Shooting(); len(got) != 0 {
			x.t.Errorf("without a frame these are shot: %v", got)
		}
		x.save("p/table/1.jpg", "frame")
		synctest.Wait()
		if got := x.w.Shooting()[x.root]; len(got) != 1 || got[0] != "p/table" {
			x.t.Errorf("the folders that are shot are %q", got)
		}
		x.pass(shootingLasts)
		if got := x.w.Shooting(); len(got) != 0 {
			x.t.Errorf("a second later these are shot: %v", got)
		}
	})
}

// TestCameraOnAPolledRoot: where no events come, the reads show that a folder is shot.
func TestCameraOnAPolledRoot(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write("p/table/1.jpg", "frame")
		x.start()
		if got := x.w.Shooting(); len(got) != 0 {
			x.t.Errorf("what the first reading found is not new: %v", got)
		}
		x.pass(3 * time.Second)
		x.write("p/table/2.jpg", "frame")
		for range 50 {
			if x.pass(100 * time.Millisecond); len(x.w.Shooting()) > 0 {
				return
			}
		}
		x.t.Error("nobody noticed the camera")
	}, func(r *Root) { r.Poll = true })
}

// TestCameraOnADrive: where only reads find the next frame, a camera counts as at work from one
// read to the next, and the reads come often, however long a frame takes to settle.
func TestCameraOnADrive(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOnNetwork()
		x.write("p/table/00.jpg", "frame")
		x.start()
		x.pass(3 * time.Second)
		const (
			each   = 500 * time.Millisecond
			behind = 6 // frames: those that come between two reads, and two more
		)
		for n := 1; n <= 40; n++ {
			x.write(fmt.Sprintf("p/table/%02d.jpg", n), "frame")
			x.pass(each)
			if n < behind {
				continue
			}
			if known := len(x.seen.of("p/table").Frames); known < n+1-behind {
				x.t.Errorf("%d of %d frames are known", known, n+1)
			}
			if len(x.w.Shooting()) == 0 {
				x.t.Errorf("after %d frames nobody knows of the camera", n)
			}
		}
		x.pass(2*pollUnwatched + shootingLasts)
		if got := x.w.Shooting(); len(got) != 0 {
			x.t.Errorf("still shot: %v", got)
		}
	}, func(r *Root) { r.Settle = time.Minute })
}
