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
	q.addAt(f, time.Now().Add(time.Hour).Round(0), newTurn)
	if due := q.place[f].due.String(); !strings.Contains(due, "m=+") {
		t.Errorf("the folder waits until %s on the wall", due)
	}
}

// TestWhoIsTakenFirst: a folder that a person is in a hurry for is taken before all others of its root, what a camera writes after
// that, whatever came before it, then what is at the service, and all of these find a hand when the others have all of theirs.
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
		kind, _, _ := strings.Cut(name, " ")
		q.add(f, map[string]turn{"again": retryTurn, "sent": begunTurn}[kind])
	}
	for _, name := range []string{"new", "again", "rush", "sent", "shot", "again shot", "late rush", "sent as well"} {
		add(name, studio)
	}
	add("elsewhere shot", other)
	take := func(free int) string {
		if f := q.take(time.Now(), func(r *root) int { return map[*root]int{studio: free}[r] }, shot); f != nil {
			return f.key.Path
		}
		return ""
	}
	const forBegun, forOthers = handsForRush + handsForShot + 1, handsBesideNew + 1
	for _, want := range []struct {
		free  int
		takes string
	}{
		{0, ""}, {forOthers, "rush"}, {1, "late rush"}, {handsForRush, ""}, {handsForRush + 1, "shot"}, {forOthers, "again shot"},
		{forBegun - 1, ""}, {forBegun, "sent"}, {forOthers, "sent as well"}, {forOthers - 1, ""}, {forOthers, "new"}, {forOthers, "again"}, {forOthers + foldersInHand, ""},
	} {
		if got := take(want.free); got != want.takes {
			t.Errorf("with %d hands free %q is taken, want %q", want.free, got, want.takes)
		}
	}
}

// TestNewWorkGoesOn: while thousands wait for the service, each fourth hand that is free takes something new.
func TestNewWorkGoesOn(t *testing.T) {
	q := queue{rush: &rush{first: map[syncstate.Folder]bool{}}}
	r := &root{}
	for range 12 {
		q.add(&folder{root: r, key: syncstate.Folder{Path: "sent"}}, begunTurn)
	}
	for range 2 {
		q.add(&folder{root: r, key: syncstate.Folder{Path: "new"}}, newTurn)
	}
	taken := ""
	for range 10 {
		taken += q.take(noon, func(*root) int { return handsBesideNew + 1 }, nil).key.Path + " "
	}
	if want := "sent sent sent new sent sent sent new sent sent "; taken != want {
		t.Errorf("taken: %s, want %s", taken, want)
	}
}

// TestTurn: what is begun keeps its place whatever it meets with.
func TestTurn(t *testing.T) {
	for _, c := range []struct {
		state State
		begun bool
		want  turn
	}{
		{Collecting, false, newTurn}, {Queued, false, newTurn}, {Retrying, false, retryTurn},
		{Uploading, false, begunTurn}, {Processing, false, begunTurn}, {Queued, true, begunTurn}, {Retrying, true, begunTurn},
	} {
		if got := turnOf(c.state, c.begun); got != c.want {
			t.Errorf("%s, begun %t: %d, want %d", c.state, c.begun, got, c.want)
		}
	}
}

// TestHurryEndsWaits: what waits for a time stands in line at once.
func TestHurryEndsWaits(t *testing.T) {
	var q queue
	r := &root{}
	waits, stands := &folder{root: r}, &folder{root: r}
	q.addAt(waits, noon.Add(time.Hour), retryTurn)
	q.add(stands, newTurn)
	q.hurry()
	all := func(*root) int { return foldersInHand + handsBesideNew }
	if first, second, none := q.take(noon, all, nil), q.take(noon, all, nil), q.take(noon, all, nil); first != stands || second != waits || none != nil {
		t.Errorf("taken: %p, %p, %p; want %p, %p", first, second, none, stands, waits)
	}
}
