package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestPassPlansWhatChangedUnderAStep: however long a pass has gone on, it does not end before a
// folder that changed under a step is planned anew, which tells at least what keeps it from being
// published.
func TestPassPlansWhatChangedUnderAStep(t *testing.T) {
	d := idleDaemon(t)
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	f.status.State = status.Uploading
	f.last = plan.Again(time.Now().Add(plan.ChangedPause))
	p := pass{d: d, read: time.Now().Add(-time.Hour)}
	if p.isDone(f) {
		t.Error("it counts as done before it is planned")
	}
}

// TestPassWaitsForRest: a pass waits until what is sent, or published as it stands, was seen at
// rest, for something may be owed for it then. What never comes to rest does not keep it from
// ending.
func TestPassWaitsForRest(t *testing.T) {
	d := idleDaemon(t)
	moving := func(s *plan.Scene) {
		s.Hurry, s.Rules.Frames = true, 2
		for i := range s.Snapshot.Frames {
			s.Snapshot.Frames[i].Still = false
		}
	}
	for state, s := range map[status.State]plan.Scene{status.Uploading: plantest.Running(plantest.AScene(2), 2, 2), status.Published: plantest.Published(plantest.AScene(2))} {
		f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
		f.last = plan.Next(plantest.With(s, moving))
		if f.last.State != state || f.last.Action != plan.Wait {
			t.Fatalf("it is %s, %s: %s", f.last.Action, f.last.State, plantest.Said(f.last.Cause))
		}
		for after, want := range map[time.Duration]bool{0: false, time.Hour: true} {
			p := pass{d: d, read: time.Now().Add(-after)}
			if got := p.isDone(f); got != want {
				t.Errorf("%s: %s after the roots were read it is done: %t", state, after, got)
			}
		}
	}
}

// TestPassTellsWhatIsGone: a pass does not end before a folder that is gone is told as missing,
// which it is when the service was asked for its view.
func TestPassTellsWhatIsGone(t *testing.T) {
	d := idleDaemon(t)
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	f.last = plan.Step{Action: plan.Wait, State: status.Missing, Until: time.Now().Add(time.Second)}
	p := pass{d: d, read: time.Now()}
	for _, told := range []status.State{status.Published, status.Missing} {
		f.status.State = told
		if p.isDone(f) != (told == status.Missing) {
			t.Errorf("told as %s, it is done: %t", told, p.isDone(f))
		}
	}
}

// TestReadUnderWayIsNotEnough: what was put into a folder before a pass is found by a read that
// begins after that. One that was under way, which takes minutes on a large network drive, may have
// passed by.
func TestReadUnderWayIsNotEnough(t *testing.T) {
	for _, test := range []struct {
		began, ended time.Duration // after the pass began
		want         bool
	}{
		{-2 * time.Minute, -time.Minute, false},
		{-time.Minute, time.Minute, false},
		{0, time.Minute, true},
	} {
		r := watcher.RootStatus{Online: true, LastRead: plantest.Noon.Add(test.ended), ReadTook: test.ended - test.began}
		if got := readSince(r, plantest.Noon); got != test.want {
			t.Errorf("a read from %s to %s after the pass began counts: %t", test.began, test.ended, got)
		}
	}
}
