package daemon

import (
	"context"
	"strings"
	"testing"
	"time"

	"spinsync/syncstate"
)

// TestLocksAreDropped: of the many products that are ever created no lock is kept.
func TestLocksAreDropped(t *testing.T) {
	var k keyedLock
	unlock, err := k.lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.lock(impatient, "a"); err == nil {
		t.Error("a lock was given twice")
	}
	if len(k.locks) != 1 {
		t.Errorf("%d locks while one is held", len(k.locks))
	}
	unlock()
	if len(k.locks) != 0 {
		t.Errorf("%d locks are kept", len(k.locks))
	}
}

// TestWaitsIgnoreTheClockOnTheWall: a wait until a recorded time goes on as it began when the clock is set meanwhile.
func TestWaitsIgnoreTheClockOnTheWall(t *testing.T) {
	var q queue
	f := &folder{root: &root{}}
	q.addAt(f, time.Now().Add(time.Hour).Round(0), false)
	if due := q.place[f].due.String(); !strings.Contains(due, "m=+") {
		t.Errorf("the folder waits until %s on the wall", due)
	}
}

// TestRushIsTakenFirst: a folder that goes first is taken before all others of its root, and finds a hand when they have all of
// theirs.
func TestRushIsTakenFirst(t *testing.T) {
	q := queue{rush: &rush{first: map[syncstate.Folder]bool{}}}
	studio := &root{}
	folders := map[string]*folder{}
	for _, name := range []string{"new", "again", "rush", "late rush"} {
		folders[name] = &folder{root: studio, key: syncstate.Folder{Path: name}}
		q.rush.set(folders[name].key, strings.HasSuffix(name, "rush"))
		q.add(folders[name], name == "again")
	}
	take := func(free int) string {
		if f := q.take(time.Now(), func(*root) int { return free }); f != nil {
			return f.key.Path
		}
		return ""
	}
	if got := take(0); got != "" {
		t.Errorf("without a hand %q is taken", got)
	}
	for _, want := range []struct {
		free  int
		takes string
	}{{handsForRush + 1, "rush"}, {1, "late rush"}, {handsForRush, ""}, {handsForRush + 1, "new"}, {handsForRush + 1, "again"}} {
		if got := take(want.free); got != want.takes {
			t.Errorf("with %d hands free %q is taken, want %q", want.free, got, want.takes)
		}
	}
}
