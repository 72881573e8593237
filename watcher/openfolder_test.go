package watcher

import (
	"io"
	"testing"
)

// An open folder gives what is in it when it is asked, and what it gave stays open when it is
// closed.
func TestOpenFolder(t *testing.T) {
	x := newWorld(t, t.TempDir())
	x.write(shoe+"/1.jpg", "one")
	folder, err := x.w.OpenFolder(x.root, shoe)
	x.do(err)
	if _, err := folder.Open("2.jpg"); !IsGone(err) {
		t.Errorf("a frame that is not there: %v", err)
	}
	x.write(shoe+"/2.jpg", "two")
	x.write(shoe+"/1.jpg", "uno")
	first, err := folder.Open("1.jpg")
	x.do(err)
	defer first.Close()
	second, err := folder.Open("2.jpg")
	x.do(err)
	defer second.Close()
	folder.Close()
	for want, f := range map[string]*OpenFile{"uno": first, "two": second} {
		if got, err := io.ReadAll(f); string(got) != want {
			t.Errorf("read %q, %v, want %q", got, err, want)
		}
	}
}
