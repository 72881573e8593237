package watcher

import (
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/watcher/events"
)

// An event that comes while a folder is read is about something that the read may have missed:
// another read follows at once.
func TestEventDuringALookBringsAnother(t *testing.T) {
	inBubble(t, func(x *world) {
		x.start()
		var looks atomic.Int32
		x.onRead(func(dir string) error {
			if strings.HasSuffix(dir, "shoe") && looks.Add(1) == 1 {
				x.hint(events.Altered, shoe+"/1.jpg")
			}
			return nil
		})
		x.save(shoe+"/1.jpg", "abc")
		x.pass(time.Second)
		if n := looks.Load(); n < 2 {
			x.t.Errorf("%d looks", n)
		}
	})
}

// A new folder is read while a reading of the tree goes on, which may take minutes on a network
// drive.
func TestFolderAppearsDuringAReading(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.start()
		x.onRead(func(dir string) error {
			if strings.HasSuffix(dir, "Summer") {
				time.Sleep(20 * time.Second)
			}
			return nil
		})
		x.hint(events.Appeared, "Summer")
		x.pass(time.Second)
		x.write(glove+"/1.jpg", "abc")
		x.hint(events.Appeared, glove)
		x.pass(time.Second)
		x.expect(glove, "1.jpg")
		x.pass(time.Minute)
	})
}

// A file that takes the place of a still file is not still, even without an event, and size and
// time are the same.
func TestAnotherFileOfTheSameSizeAndTime(t *testing.T) {
	inBubble(t, func(x *world) {
		x.start()
		when := time.Now()
		replace := func(content string) {
			x.write("new", content)
			x.do(os.Chtimes(x.path("new"), when, when))
			x.do(os.Rename(x.path("new"), x.path(shoe+"/1.jpg")))
		}
		x.do(os.MkdirAll(x.path(shoe), 0o755))
		replace("abc")
		x.hint(events.Appeared, shoe+"/1.jpg")
		x.pass(10 * time.Second)
		x.expect(shoe, "1.jpg!")
		before := x.seen.of(shoe)
		if before.Frames[0].ID == 0 {
			x.t.Skip("this file system has no file ids")
		}
		replace("xyz")
		x.pass(time.Minute)
		after := x.seen.of(shoe)
		if !after.Changed.After(before.Changed) || !after.Frames[0].Since.After(before.Frames[0].Since) {
			x.t.Errorf("changed at %s, and before at %s", after.Changed, before.Changed)
		}
	})
}
