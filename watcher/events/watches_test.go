//go:build !windows

package events

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// opened are the watches of a new root with these directories, until the test ends.
func opened(t *testing.T, lazy bool, dirs ...string) *Watches {
	t.Helper()
	n, err := Open(t.TempDir(), lazy, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.Close)
	for _, dir := range dirs {
		if err := os.Mkdir(n.path(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// Without a watch to spare for it, a folder is found by reading.
func TestWatchLimit(t *testing.T) {
	n := opened(t, false, "a", "a/1", "a/2", "a/3", "b")
	n.Add("a", Above)
	n.Add("a/1", IdleFolder)
	if n.Complete() != (n.budget == 0) {
		t.Errorf("before the limit the watches are complete: %t", n.Complete())
	}
	if n.Rest("a/1"); n.Has("a/1") != (n.budget == 0) {
		t.Errorf("where files do not count, a folder that became idle is watched: %t", n.Has("a/1"))
	}
	n.limit(nil)
	n.Add("a/2", IdleFolder)
	if n.Has("a/2") || n.Complete() {
		t.Error("an idle folder is watched beyond the limit")
	}
	if !n.makeRoom("a/3", ActiveFolder) || n.Has("a/1") || !n.Has("a") {
		t.Error("no idle folder gave way to an active one")
	}
	n.Add("b", Above)
	if !n.Has("b") || n.Count() != 2 {
		t.Errorf("%d directories are watched, not 2", n.Count())
	}
	n.Add(".", Above)
	if n.makeRoom("a/3", ActiveFolder) || n.Count() != 3 {
		t.Errorf("a directory above product folders gave way: %d are watched, not 3", n.Count())
	}
}

// An idle folder is not watched where watches are lazy, one where something happens is.
func TestSparedWatch(t *testing.T) {
	n := opened(t, true, "a", "b")
	n.Add("a", IdleFolder)
	if n.Has("a") || n.Complete() {
		t.Error("it is watched while idle, or nobody would look for what happens in it")
	}
	n.Add("a", ActiveFolder)
	n.Add("b", ActiveFolder)
	if !(n.Has("a") && n.Has("b")) {
		t.Error("it is not watched although something happens in it")
	}
	if n.Add("missing", ActiveFolder); n.Has("missing") {
		t.Error("a directory that is not there counts as watched")
	}
}

// filesIn makes a directory have so many files.
func filesIn(t *testing.T, dir string, count int) {
	t.Helper()
	for i := range count {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Where each file of a watched directory costs a descriptor, there are never many more than the
// budget allows: a folder is counted again at each read, gives way to one where something happens,
// and is not watched while it is idle.
func TestFilesOfWatchedDirectoriesAreBounded(t *testing.T) {
	n := opened(t, false, "a", "b", "c", "d", "e")
	n.budget = 40
	if n.Add("a", IdleFolder); n.Has("a") || n.Complete() {
		t.Error("an idle folder is watched, or nobody would look for what happens in it")
	}
	n.Add("a", ActiveFolder)
	if n.Rest("a"); n.Has("a") || n.cost != 0 || len(n.fs.WatchList()) != 0 {
		t.Errorf("a folder that became idle is watched, for %d: %v", n.cost, n.fs.WatchList())
	}
	n.Add("a", ActiveFolder)
	filesIn(t, n.path("a"), n.budget/2+1)
	if n.Add("a", ActiveFolder); n.cost != n.budget/2+2 {
		t.Errorf("files that came since count as %d", n.cost)
	}
	n.Add("b", ActiveFolder)
	filesIn(t, n.path("b"), n.budget/2+1)
	if n.Add("b", ActiveFolder); n.Has("a") || !n.Has("b") {
		t.Error("a folder that grew is watched beside the other, or not at all")
	}
	filesIn(t, n.path("c"), n.budget)
	if n.Add("c", Above); n.Has("c") || !n.Has("b") {
		t.Error("a directory that takes more than all is watched, or all others gave way to it")
	}
	if n.Add("d", Above); !n.Has("d") {
		t.Error("a directory with few entries is not watched")
	}
	if n.cost > n.budget || n.Count() != len(n.fs.WatchList()) {
		t.Errorf("%d files in %d directories, watched are %v", n.cost, n.Count(), n.fs.WatchList())
	}
	filesIn(t, n.path("d"), n.budget/2)
	n.Add("d", Above)
	filesIn(t, n.path("e"), n.budget/2+1)
	if n.Add("e", Above); n.Has("b") || n.Has("e") || !n.Has("d") {
		t.Error("directories above product folders are not bounded")
	}
}

// The errors of a system that has no watch to spare.
func TestOutOfWatches(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ENOSPC: true, syscall.EMFILE: true, syscall.ENFILE: true, syscall.ENOENT: false, nil: false,
	} {
		if outOfWatches(err) != want {
			t.Errorf("%v: want %t", err, want)
		}
	}
}

// Events that the system lost are reported, and the end of the watches ends their goroutine.
func TestDrain(t *testing.T) {
	n := opened(t, false)
	hints, ended := make(chan Hints), make(chan struct{})
	go func() {
		n.Drain(t.Context(), hints)
		close(ended)
	}()
	select {
	case h := <-hints:
		t.Errorf("of nothing it reports %+v", h)
	case <-time.After(20 * time.Millisecond):
	}
	for range 2 {
		n.fs.Errors <- fsnotify.ErrEventOverflow
		if h := <-hints; h.Lost == "" || h.From != n {
			t.Errorf("of an overflow it reports %+v", h)
		}
	}
	n.Close()
	<-ended
}

// An event reports the end of a watch only if there was one: its end costs a reading of the tree.
func TestChanges(t *testing.T) {
	n := opened(t, false, "a", "b", "c")
	n.Add("a", Above)
	n.Add("b", Above)
	n.Add("c", Above)
	for _, e := range []struct {
		dir  string
		op   fsnotify.Op
		want Change
	}{
		{"a", fsnotify.Write, Altered},
		{"a", fsnotify.Chmod, Touched},
		{"a", fsnotify.Remove, Gone | Unwatched},
		{"a", fsnotify.Remove, Gone},
		{"a", fsnotify.Create | fsnotify.Write, Appeared | Altered},
		{"b", fsnotify.Rename, Gone | Unwatched},
		{"c", fsnotify.Create, Appeared},
	} {
		var h Hints
		if n.gather(&h, fsnotify.Event{Name: n.path(e.dir), Op: e.op}); h.Paths[e.dir] != e.want {
			t.Errorf("%s of %s is %b, want %b", e.op, e.dir, h.Paths[e.dir], e.want)
		}
	}
	if n.Has("a") || n.Has("b") || n.Has("c") {
		t.Error("what is gone or new is still watched")
	}
	first, _ := n.claim("a", watched{1, Above})
	if second, _ := n.claim("a", watched{1, Above}); !first || second {
		t.Error("a directory is watched by none or by two")
	}
	if n.cost != 1 {
		t.Errorf("one watch costs %d", n.cost)
	}
}

// A directory that is watched before the event of its making is gathered, as by a read of the
// directory above, is no loss: what happens in it is reported.
func TestDirectoryIsMadeDuringARead(t *testing.T) {
	n := opened(t, false)
	n.Add(".", Above)
	if err := os.Mkdir(n.path("a"), 0o755); err != nil {
		t.Fatal(err)
	}
	n.Add("a", Above)
	hints := make(chan Hints)
	go n.Drain(t.Context(), hints)
	until := func(below string) Change {
		for {
			h := <-hints
			if h.Lost != "" {
				t.Errorf("reported as lost: %s", h.Lost)
			}
			if c, ok := h.Paths[below]; ok {
				return c
			}
		}
	}
	if c := until("a"); c&Unwatched != 0 {
		t.Error("the watch of a new directory is reported as ended")
	}
	n.Add("a", Above)
	if err := os.Mkdir(n.path("a/1"), 0o755); err != nil {
		t.Fatal(err)
	}
	until("a/1")
}

// TestCostOfAWatch: where files count, a directory costs one with each of them; else one, unread.
func TestCostOfAWatch(t *testing.T) {
	n := opened(t, false, "a", "a/1", "a/2")
	for budget, want := range map[int]int{0: 1, 9: 3} {
		if n.budget = budget; n.costOf("a") != want {
			t.Errorf("with a budget of %d the watch costs %d, want %d", budget, n.costOf("a"), want)
		}
	}
}
