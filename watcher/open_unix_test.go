//go:build unix

package watcher

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"spinsync/watcher/nofollow"
)

// Open gives regular files that lie below the root themselves, and nothing else.
func TestOpen(t *testing.T) {
	x := newWorld(t, t.TempDir())
	x.write(shoe+"/1.jpg", "abc")
	x.write("outside.jpg", "abc")
	x.do(os.Symlink("1.jpg", x.path(shoe+"/link.jpg")))
	x.do(os.Symlink(x.path("outside.jpg"), x.path(shoe+"/far.jpg")))
	x.do(os.Symlink("shoe", x.path("Summer/alias")))
	x.do(os.Mkdir(x.path(shoe+"/dir.jpg"), 0o755))
	x.do(syscall.Mkfifo(x.path(shoe+"/pipe.jpg"), 0o644))

	f, err := x.w.Open(x.root, shoe, "1.jpg")
	x.do(err)
	defer f.Close()
	if got, err := io.ReadAll(f); string(got) != "abc" {
		t.Errorf("read %q, %v", got, err)
	}
	for _, c := range [][2]string{
		{shoe, "link.jpg"}, {shoe, "far.jpg"}, {shoe, "dir.jpg"}, {shoe, "pipe.jpg"}, {shoe, "none.jpg"}, {shoe, ""},
		{shoe, "../../outside.jpg"}, {shoe, ".."}, {"Summer/alias", "1.jpg"}, {"..", "1.jpg"},
	} {
		if f, err := x.w.Open(x.root, c[0], c[1]); err == nil {
			f.Close()
			t.Errorf("%s of %s was opened", c[1], c[0])
		}
	}
}

// A network drive may show one size and time until a file is closed. A file that is asked through a
// handle has the time of its last change too: what is written between two reads is not still, and no
// frame seems to have changed because it was asked in another way.
func TestLastChangeThroughAHandle(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOnNetwork()
		x.write(shoe+"/1.jpg", "abc")
		x.start()
		x.pass(time.Second)
		x.rewrite(shoe+"/1.jpg", "abd")
		x.pass(1200 * time.Millisecond)
		x.expect(shoe, "1.jpg")
		x.pass(10 * time.Second)
		x.expect(shoe, "1.jpg!")
		now, err := x.w.ReadFolder(context.Background(), x.root, shoe)
		x.do(err)
		if was := x.seen.of(shoe).Frames[0].Changed; was == 0 || now.Frames[0].Changed != was {
			t.Errorf("changed at %d, by the look at %d", was, now.Frames[0].Changed)
		}
	}, func(cfg *Root) { cfg.Settle = time.Second })
}

// rewrite overwrites a file and puts its time back, until that shows in the time of its last change.
func (x *world) rewrite(below, content string) {
	x.t.Helper()
	dir, err := nofollow.Open(filepath.Dir(x.path(below)))
	x.do(err)
	defer dir.Close()
	before, err := dir.Stat(filepath.Base(below))
	x.do(err)
	for after := before; after.Changed == before.Changed; {
		x.write(below, content)
		x.do(os.Chtimes(x.path(below), before.ModTime, before.ModTime))
		after, err = dir.Stat(filepath.Base(below))
		x.do(err)
	}
}

// On a network drive a file that this account may not open is known by its listing alone, as on any
// other drive: the other files of its folder do not wait for it, and who reads it names it.
func TestFileThatMayNotBeOpened(t *testing.T) {
	inBubble(t, func(x *world) {
		x.standOnNetwork()
		x.tree.disk.ask = func(root, file string) (nofollow.Attrs, error) {
			if file == shoe+"/shotlog.txt" || file == shoe+"/done.txt" {
				return nofollow.Attrs{}, &fs.PathError{Op: "open", Path: file, Err: syscall.EACCES}
			}
			return nofollow.Ask(root, file)
		}
		x.write(shoe+"/1.jpg", "abc")
		x.write(shoe+"/shotlog.txt", "abc")
		x.write(shoe+"/done.txt", "")
		x.start()
		x.pass(time.Minute)
		x.expect(shoe, "1.jpg!")
		if s := x.seen.of(shoe); s.Err != nil || line(s.Sidecars) != "shotlog.txt!" || s.Marker == nil || !s.Marker.Still {
			t.Errorf("%v, sidecars %q, marker %+v", s.Err, line(s.Sidecars), s.Marker)
		}
	})
}
