package watcher

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/watcher/events"
)

// deny makes the system refuse to read directories, as often as it is asked.
func (x *world) deny(below ...string) {
	barred := map[string]bool{}
	for _, dir := range below {
		barred[x.path(dir)] = true
	}
	x.onRead(func(dir string) error {
		if barred[dir] {
			return &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
		}
		return nil
	})
}

// wrong is the last word about a directory; empty when nothing is wrong.
func (x *world) wrong(dir string) string {
	x.t.Helper()
	s := x.seen.of(dir)
	if s.Present != (s.Err != nil) {
		x.t.Errorf("%s: %+v", dir, s)
	}
	return text(s.Err)
}

// TestDirectoryThatMayNotBeRead: a directory above product folders is reported with the place that
// cannot be read, its product folders are not gone, and it is read again soon. An event of it is
// answered within seconds.
func TestDirectoryThatMayNotBeRead(t *testing.T) {
	for _, event := range []bool{false, true} {
		inBubble(t, func(x *world) {
			pass := func(without time.Duration) {
				if event {
					x.hint(events.Touched, "Closed")
					without = 30 * time.Second
				}
				x.pass(without)
			}
			x.stock()
			x.write("Closed/sku/1.jpg", "a")
			x.deny("Closed")
			x.start()
			if e := denied(x.seen.of("Closed").Err); e == nil || e.Path != x.path("Closed") || e.Dir != e.Path {
				x.t.Errorf("reported as %+v", x.seen.of("Closed"))
			}
			x.deny()
			pass(30 * time.Second)
			if x.wrong("Closed") != "" || !x.seen.of("Closed/sku").Present {
				x.t.Errorf("opened again: %+v, %+v", x.seen.of("Closed"), x.seen.of("Closed/sku"))
			}
			x.deny("Closed")
			pass(time.Hour)
			if x.wrong("Closed") == "" || !x.seen.of("Closed/sku").Present {
				x.t.Errorf("closed again: %+v, %+v", x.seen.of("Closed"), x.seen.of("Closed/sku"))
			}
			before := x.seen.times("Closed")
			x.pass(time.Hour)
			if x.seen.times("Closed") != before {
				x.t.Error("reported again and again")
			}
			x.do(os.RemoveAll(x.path("Closed")))
			x.deny()
			x.pass(30 * time.Second)
			if x.wrong("Closed") != "" {
				x.t.Errorf("removed: %+v", x.seen.of("Closed"))
			}
		})
	}
}

// TestProductFolderThatMayNotBeRead: it is read again soon, however many folders are read. One that is
// closed while the watcher runs is reported within seconds of the event.
func TestProductFolderThatMayNotBeRead(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.deny(shoe)
		x.start()
		if denied(x.seen.of(shoe).Err) == nil {
			x.t.Fatalf("reported as %+v", x.seen.of(shoe))
		}
		x.tree.loop.inbox.put(func(context.Context) { x.tree.settler.readTook = time.Minute })
		x.pass(pollDenied)
		x.deny()
		x.pass(30 * time.Second)
		if s := x.seen.of(shoe); s.Err != nil || len(s.Frames) != 1 {
			x.t.Errorf("opened again: %+v", s)
		}
		x.deny(shoe)
		x.hint(events.Touched, shoe)
		x.pass(30 * time.Second)
		if denied(x.seen.of(shoe).Err) == nil {
			x.t.Errorf("closed again: %+v", x.seen.of(shoe))
		}
	})
}

// TestPhotosInTheWrongPlace: photos above product folders and below them are reported by their
// directory, at once where an event names them, and until they are gone.
func TestPhotosInTheWrongPlace(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.write("Summer/1.jpg", "a")
		x.write("Summer/notes.txt", "a")
		x.write("readme.md", "a")
		x.write(shoe+"/old/deeper/1.jpg", "a")
		x.write(shoe+"/CaptureOne/1.jpg", "a")
		x.start()
		const one = "holds 1 photos and is no product folder"
		for dir, want := range map[string]string{
			"Summer": one, ".": "", shoe + "/old/deeper": one, shoe + "/old": "", shoe + "/CaptureOne": "", shoe + "/CaptureOne/deeper": "",
		} {
			if got := x.wrong(dir); got != want {
				x.t.Errorf("%s: %q, want %q", dir, got, want)
			}
		}
		x.write("2.jpg", "a")
		x.write("Summer/2.jpg", "a")
		x.hint(events.Appeared, "2.jpg", "Summer/2.jpg")
		x.pass(time.Second)
		if x.wrong(".") != one || x.wrong("Summer") != "holds 2 photos and is no product folder" {
			x.t.Errorf("after an event: %q, %q", x.wrong("."), x.wrong("Summer"))
		}
		for _, name := range []string{"2.jpg", "Summer/1.jpg", "Summer/2.jpg", shoe + "/old"} {
			x.do(os.RemoveAll(x.path(name)))
		}
		x.w.Rescan()
		x.pass(time.Minute)
		for _, dir := range []string{".", "Summer", shoe + "/old/deeper"} {
			if got := x.wrong(dir); got != "" {
				x.t.Errorf("%s is still reported: %q", dir, got)
			}
		}
	})
}

// TestMisplacedPhotoIsNoProductFolder: a root that loses a misplaced photo and holds nothing else
// is not emptied.
func TestMisplacedPhotoIsNoProductFolder(t *testing.T) {
	inBubble(t, func(x *world) {
		x.write("SKU-1/1.jpg", "a")
		x.start()
		x.hint(events.Gone, "SKU-1/1.jpg")
		x.w.Rescan()
		x.do(os.RemoveAll(x.path("SKU-1")))
		synctest.Wait()
		if r := x.w.Roots()[0]; !r.Online || r.Folders != 0 {
			x.t.Errorf("the root %+v", r)
		}
	})
}

// TestDirectoryReportedBefore: after a restart a directory with which nothing is wrong any more is
// reported once.
func TestDirectoryReportedBefore(t *testing.T) {
	before := []string{".", "Gone", "Summer/shoe/old", "Closed"}
	inBubble(t, func(x *world) {
		x.stock()
		x.do(os.MkdirAll(x.path("Closed"), 0o755))
		x.deny("Closed")
		x.start()
		for _, dir := range before[:3] {
			if x.wrong(dir) != "" || x.seen.times(dir) != 1 {
				x.t.Errorf("%s: %d times, %+v", dir, x.seen.times(dir), x.seen.of(dir))
			}
		}
		if x.wrong("Closed") == "" {
			x.t.Error("what is wrong is not reported")
		}
	}, func(r *Root) {
		r.Directories, r.Known = before, map[string]Idle{shoe: {}}
	})
}

// TestRefusalAboveARoot: what bars the way may lie above the root, where nothing is reported.
func TestRefusalAboveARoot(t *testing.T) {
	d := &disk{root: "/srv/shoots"}
	for bars, want := range map[string]string{"/srv/shoots/Summer": "Summer", "/srv": "Summer/shoe"} {
		refused := &AccessError{Path: bars, Err: fs.ErrPermission}
		if dir, ok := d.reportedFor(unknownDir{dir: "Summer/shoe", err: refused}); !ok || dir != want {
			t.Errorf("%s bars the way, and %q is reported, %t", bars, dir, ok)
		}
	}
}

// TestPhotosThatAreNotTaken: they are reported with the reason, also in an idle folder, but not
// where the same photo is a frame.
func TestPhotosThatAreNotTaken(t *testing.T) {
	inBubble(t, func(x *world) {
		x.stock()
		x.write(shoe+"/1.CR3", "raw")
		x.write(shoe+"/notes.pdf", "a")
		x.write("Summer/raw/b.NEF", "raw")
		x.do(os.Symlink("1.jpg", x.path(shoe+"/3.jpg")))
		x.do(os.Mkdir(x.path(shoe+"/4.jpg"), 0o755))
		x.start()
		x.pass(10 * time.Second)
		files := func(folder string) (names string) {
			if n := x.seen.of(folder).NotTaken; n != nil {
				for _, f := range n.Files {
					names += f.File + ": " + f.Why + "\n"
				}
			}
			return names
		}
		const link = "3.jpg: " + noFile + "\n" + "4.jpg: it is a directory, and no photo\n"
		const raw = "b.NEF: a raw file; let the camera or its program write JPEG\n"
		if got := files(shoe); got != link {
			x.t.Errorf("got %q, want %q", got, link)
		}
		if got := files("Summer/raw"); got != raw {
			x.t.Errorf("got %q, want %q", got, raw)
		}
		x.w.SetIdle(x.root, shoe, x.seen.of(shoe).Fingerprint)
		x.write(shoe+"/2.heic", "a")
		x.hint(events.Appeared, shoe+"/2.heic")
		x.pass(time.Second)
		if got := files(shoe); got != "2.heic: HEIC; set the camera to JPEG, or convert it\n"+link || !x.seen.of(shoe).Idle {
			x.t.Errorf("idle: %q, %+v", got, x.seen.of(shoe))
		}
		for i := range 10 {
			x.write(shoe+"/more"+string(rune('a'+i))+".psd", "a")
		}
		x.w.Rescan()
		x.pass(time.Minute)
		if n := x.seen.of(shoe).NotTaken; n == nil || n.Count != 13 || len(n.Files) != mostNotTaken {
			x.t.Errorf("many: %+v", n)
		}
	})
}

// TestNameForAnother: what the system takes for something else is not read. A directory is reported
// until it has another name, and a frame holds its folder up.
func TestNameForAnother(t *testing.T) {
	inBubble(t, func(x *world) {
		x.tree.disk.isPlain = func(name string) bool { return name != "aux.jpg" && !strings.HasSuffix(name, ".") }
		x.stock()
		for _, file := range []string{shoe + "./1.jpg", "Winter./hat/1.jpg", boot + "/aux.jpg", boot + "/old./2.jpg"} {
			x.write(file, "a")
		}
		x.start()
		x.hint(events.Appeared, shoe+".", "Winter.")
		x.pass(time.Hour)
		for dir, want := range map[string]string{shoe + ".": mistaken, "Winter.": mistaken, boot + "/old.": "", "Winter./hat": ""} {
			if got := x.wrong(dir); got != want || x.seen.times(dir) > 1 {
				t.Errorf("%s: %q, %d times", dir, got, x.seen.times(dir))
			}
		}
		x.present()
		x.expect(boot, "1.jpg!")
		if b := x.seen.of(boot).Busy; len(b) != 1 || b[0].Name != "aux.jpg" || b[0].Reason != mistaken || !b[0].Lasting {
			t.Errorf("the folder is held up by %+v", b)
		}
		x.do(os.Rename(x.path(shoe+"."), x.path("Summer/coat")))
		x.w.Rescan()
		x.pass(time.Minute)
		if x.wrong(shoe+".") != "" || !x.seen.of("Summer/coat").Present {
			t.Errorf("renamed: %+v, %+v", x.seen.of(shoe+"."), x.seen.of("Summer/coat"))
		}
	}, func(r *Root) { r.Known = map[string]Idle{shoe + ".": {}, shoe: {}} })
}

// TestFilesOfACloud: what is irregular for Go on Windows may be a file of a cloud, and no link. Links
// stand for such files here.
func TestFilesOfACloud(t *testing.T) {
	inBubble(t, func(x *world) {
		x.tree.disk.regular = func(path string, _ fs.FileMode) bool { return !strings.HasSuffix(path, "Winter") }
		x.stock()
		for _, name := range []string{"Winter", "notes.pdf", "Summer/1.jpg"} {
			x.do(os.Symlink(x.path(shoe+"/1.jpg"), x.path(name)))
		}
		x.start()
		if links := x.w.Roots()[0].Links; links != (Links{Count: 1, First: "Winter"}) {
			t.Errorf("the links are %+v", links)
		}
		if got := x.wrong("Summer"); got != "holds 1 photos and is no product folder" {
			t.Errorf("the photo above product folders: %q", got)
		}
	})
}

// TestAccess: the error names what cannot be read, also where that is a directory above.
func TestAccess(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir+"/a.jpg", "")
	refused := &fs.PathError{Op: "open", Path: "a.jpg", Err: fs.ErrPermission}
	e := denied(Access(dir+"/a.jpg", refused))
	if e == nil || e.Path != dir+"/a.jpg" || e.Dir != dir || !e.Own || !errors.Is(e, fs.ErrPermission) {
		t.Errorf("a file: %+v", e)
	}
	if e := denied(Access(dir+"/none/b.jpg", refused)); e == nil || e.Path != dir || e.Dir != dir {
		t.Errorf("a file that cannot be seen: %+v", e)
	}
	if err := Access(dir, fs.ErrNotExist); err != fs.ErrNotExist {
		t.Errorf("another error: %v", err)
	}
}
