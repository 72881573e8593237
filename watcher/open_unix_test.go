//go:build unix

package watcher

import (
	"io"
	"os"
	"syscall"
	"testing"
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
