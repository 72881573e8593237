package watcher

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// alive is a watcher with the system's own events, outside any bubble.
type alive struct {
	t      *testing.T
	root   string
	w      *Watcher
	newest map[string]Snapshot
}

// goLive starts a watcher whose readings without events are so rare that only events are in time.
func goLive(t *testing.T, root string) *alive {
	cfg := testRoot(root)
	cfg.Settle, cfg.Rescan = 100*time.Millisecond, time.Hour
	w, err := New([]Root{cfg}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	<-w.FirstRead()
	return &alive{t, root, w, map[string]Snapshot{}}
}

// await receives snapshots until the folder has these frames, all of them still.
func (l *alive) await(folder, frames string) {
	l.t.Helper()
	l.until(folder+" has "+frames, func() bool { return line(l.newest[folder].Frames) == frames })
}

func (l *alive) until(what string, done func() bool) {
	l.t.Helper()
	late := time.After(30 * time.Second)
	for !done() {
		select {
		case s := <-l.w.Snapshots():
			l.newest[s.Folder] = s
		case <-late:
			l.t.Fatalf("it never came true that %s; reported: %v", what, l.newest)
		}
	}
}

func (l *alive) path(below string) string { return filepath.Join(l.root, filepath.FromSlash(below)) }

// Directories that appear in any way are found by events, with the files that were in them before
// the watch.
func TestEvents(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("product folders are watched to the last on Linux only")
	}
	root, outside := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(root, "Summer/shoe/1.jpg"), "abc")
	l := goLive(t, root)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l.await("Summer/shoe", "1.jpg!")

	writeFile(t, l.path("Summer/shoe/2.jpg"), "abc")
	l.await("Summer/shoe", "1.jpg! 2.jpg!")
	writeFile(t, l.path("Summer/boot/1.jpg"), "abc")
	l.await("Summer/boot", "1.jpg!")
	writeFile(t, l.path("Winter/glove/1.jpg"), "abc")
	l.await("Winter/glove", "1.jpg!")
	writeFile(t, l.path("Winter/glove/2.jpg"), "abc")
	l.await("Winter/glove", "1.jpg! 2.jpg!")

	writeFile(t, filepath.Join(outside, "Autumn/hat/1.jpg"), "abc")
	do(os.Rename(filepath.Join(outside, "Autumn"), l.path("Autumn")))
	l.await("Autumn/hat", "1.jpg!")
	writeFile(t, l.path("Autumn/hat/2.jpg"), "abc")
	l.await("Autumn/hat", "1.jpg! 2.jpg!")

	do(os.Rename(l.path("Autumn"), l.path("Spring")))
	l.await("Spring/hat", "1.jpg! 2.jpg!")
	l.until("Autumn/hat is gone", func() bool { return l.newest["Autumn/hat"].Absent.Reads == 2 })
	writeFile(t, l.path("Spring/hat/3.jpg"), "abc")
	l.await("Spring/hat", "1.jpg! 2.jpg! 3.jpg!")

	do(os.Rename(l.path("Spring/hat"), l.path("Summer/cap")))
	l.await("Summer/cap", "1.jpg! 2.jpg! 3.jpg!")
	writeFile(t, l.path("Summer/cap/4.jpg"), "abc")
	l.await("Summer/cap", "1.jpg! 2.jpg! 3.jpg! 4.jpg!")

	do(os.RemoveAll(l.path("Summer/shoe")))
	writeFile(t, l.path("Summer/shoe/9.jpg"), "abc")
	l.await("Summer/shoe", "9.jpg!")
	if s := l.w.Roots()[0]; !s.Online || s.Watches == 0 || s.Missed != 0 {
		t.Errorf("status %+v", s)
	}
}

// Many directories made at once are all found, although most are filled before they can be watched.
func TestManyNewDirectories(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("product folders are watched to the last on Linux only")
	}
	l := goLive(t, t.TempDir())
	for i := range 300 {
		writeFile(t, l.path(fmt.Sprintf("%d/%d/1.jpg", i%10, i)), "abc")
	}
	for i := range 300 {
		l.await(fmt.Sprintf("%d/%d", i%10, i), "1.jpg!")
	}
}

// Nothing below a root is changed, whatever the watcher does there.
func TestReadsOnly(t *testing.T) {
	root := t.TempDir()
	for i := range 20 {
		writeFile(t, filepath.Join(root, "Summer", fmt.Sprint(i), "1.jpg"), strings.Repeat("x", i))
	}
	writeFile(t, filepath.Join(root, "Summer/0/1.jpg.part"), "abc")
	writeFile(t, filepath.Join(root, "Summer/0/notes.txt"), "abc")
	if err := os.Chmod(filepath.Join(root, "Summer/1/1.jpg"), 0o400); err != nil {
		t.Fatal(err)
	}
	before := hashTree(t, root)
	l := goLive(t, root)
	for i := range 20 {
		l.await(fmt.Sprint("Summer/", i), "1.jpg!")
	}
	l.w.Rescan()
	f, err := l.w.Open(root, "Summer/1", "1.jpg")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := l.w.ReadFolder(t.Context(), root, "Summer/1"); err != nil {
		t.Fatal(err)
	}
	if hashTree(t, root) != before {
		t.Error("the tree was changed")
	}
}

// hashTree covers names, types, modes, sizes, times and contents.
func hashTree(t *testing.T, root string) [sha256.Size]byte {
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum.Write(content)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return [sha256.Size]byte(sum.Sum(nil))
}
