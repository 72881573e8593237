package daemon

import (
	"strings"
	"testing"
	"time"

	"spinsync/syncstate"
)

// TestWaitsIgnoreTheClockOnTheWall: a wait until a recorded time goes on as it began when the clock is set meanwhile.
func TestWaitsIgnoreTheClockOnTheWall(t *testing.T) {
	var q queue
	f := &folder{root: &root{}}
	q.addAt(f, time.Now().Add(time.Hour).Round(0), false)
	if due := q.place[f].due.String(); !strings.Contains(due, "m=+") {
		t.Errorf("the folder waits until %s on the wall", due)
	}
}

// TestWhoIsTakenFirst: a folder that a person is in a hurry for is taken before all others of its root, what a camera writes after
// that, whatever came before it, and both find a hand when the others have all of theirs.
func TestWhoIsTakenFirst(t *testing.T) {
	q := queue{rush: &rush{first: map[syncstate.Folder]bool{}}}
	studio, other := &root{}, &root{}
	var shot []*folder
	add := func(name string, r *root) {
		f := &folder{root: r, key: syncstate.Folder{Path: name}}
		q.rush.set(f.key, strings.HasSuffix(name, "rush"))
		if strings.HasSuffix(name, "shot") {
			shot = append(shot, f)
		}
		q.add(f, strings.HasPrefix(name, "again"))
	}
	for _, name := range []string{"new", "again", "rush", "shot", "again shot", "late rush"} {
		add(name, studio)
	}
	add("elsewhere shot", other)
	take := func(free int) string {
		if f := q.take(time.Now(), func(r *root) int { return map[*root]int{studio: free}[r] }, shot); f != nil {
			return f.key.Path
		}
		return ""
	}
	const forOthers = handsForRush + handsForShot + 1
	for _, want := range []struct {
		free  int
		takes string
	}{
		{0, ""}, {forOthers, "rush"}, {1, "late rush"}, {handsForRush, ""}, {handsForRush + 1, "shot"}, {forOthers, "again shot"},
		{forOthers - 1, ""}, {forOthers, "new"}, {forOthers, "again"}, {forOthers + foldersInHand, ""},
	} {
		if got := take(want.free); got != want.takes {
			t.Errorf("with %d hands free %q is taken, want %q", want.free, got, want.takes)
		}
	}
}

// TestHurryEndsWaits: what waits for a time stands in line at once.
func TestHurryEndsWaits(t *testing.T) {
	var q queue
	r := &root{}
	waits, stands := &folder{root: r}, &folder{root: r}
	q.addAt(waits, noon.Add(time.Hour), true)
	q.add(stands, false)
	q.hurry()
	all := func(*root) int { return foldersInHand + handsForRush + handsForShot }
	if first, second, none := q.take(noon, all, nil), q.take(noon, all, nil), q.take(noon, all, nil); first != stands || second != waits || none != nil {
		t.Errorf("taken: %p, %p, %p; want %p, %p", first, second, none, stands, waits)
	}
}
