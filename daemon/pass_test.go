package daemon

import (
	"context"
	"sync"
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
	if p.isDone(f, d.Files.Roots()) {
		t.Error("it counts as done before it is planned")
	}
}

// TestPassWaitsForRest: a pass waits until what is published as it stands was seen at rest, for
// something may be owed for it then. What never comes to rest does not keep it from ending.
func TestPassWaitsForRest(t *testing.T) {
	d := idleDaemon(t)
	moving := func(s *plan.Scene) {
		for i := range s.Facts.Snapshot.Frames {
			s.Facts.Snapshot.Frames[i].Still = false
		}
	}
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	f.last = plan.Next(plantest.With(plantest.Published(plantest.AScene(2)), moving))
	if f.last.State != status.Published || f.last.Action != plan.Wait {
		t.Fatalf("it is %s, %s: %s", f.last.Action, f.last.State, plantest.Said(f.last.Cause))
	}
	for after, want := range map[time.Duration]bool{0: false, time.Hour: true} {
		p := pass{d: d, read: time.Now().Add(-after)}
		if got := p.isDone(f, d.Files.Roots()); got != want {
			t.Errorf("%s after the roots were read it is done: %t", after, got)
		}
	}
}

// TestPassTellsWhatIsGone: a pass does not end before a folder that is gone is told as missing,
// which it is when the service was asked for its view.
func TestPassTellsWhatIsGone(t *testing.T) {
	d := idleDaemon(t)
	f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
	f.last = plan.Step{Action: plan.Wait, State: status.Missing, Until: time.Now().Add(time.Hour)}
	p := pass{d: d, read: time.Now()}
	for _, told := range []status.State{status.Published, status.Missing} {
		f.status.State = told
		if p.isDone(f, d.Files.Roots()) != (told == status.Missing) {
			t.Errorf("told as %s, it is done: %t", told, p.isDone(f, d.Files.Roots()))
		}
	}
}

// TestPassAsksForWhatIsGone: a pass waits until the service may be asked again for the view of a
// folder that is gone. It does not wait for tomorrow's question, for a host that rests, or for a
// root that went offline.
func TestPassAsksForWhatIsGone(t *testing.T) {
	d := idleDaemon(t)
	soon, gone := time.Now().Add(d.Poll.First), status.Because(status.GoneWithView)
	for name, test := range map[string]struct {
		last plan.Step
		want bool
	}{
		"soon":     {plan.Step{Action: plan.Wait, Cause: gone, Until: soon}, false},
		"tomorrow": {plan.Step{Action: plan.Wait, Cause: gone, Until: soon.Add(time.Hour)}, true},
		"a host":   {plan.Step{Action: plan.Wait, Cause: gone, Until: soon, ForHost: true}, true},
		"renamed":  {plan.Step{Action: plan.Wait, Cause: status.Because(status.GoneOrRenamed), Until: soon}, true},
		"offline":  {plan.Step{Action: plan.Idle, Cause: status.Because(status.GoneForNow)}, true},
	} {
		f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
		f.status.State, f.last = status.Missing, test.last
		f.last.State = status.Missing
		if p := (&pass{d: d, failing: map[*folder]time.Time{}}); p.isDone(f, d.Files.Roots()) != test.want {
			t.Errorf("%s: it is done: %t", name, !test.want)
		}
	}
}

// TestPassWaitsForTheSecondRead: a pass waits for a second whole read of a root that has lost a
// folder whose view is to be deleted. It does not wait once more when that read did not count,
// without end, or for a paused folder.
func TestPassWaitsForTheSecondRead(t *testing.T) {
	d := idleDaemon(t)
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { d.Files.Run(ctx) })
	<-d.Files.FirstRead()
	for name, test := range map[string]struct {
		missed, failing time.Duration
		paused, want    bool
	}{
		"just missed": {0, 0, false, false},
		"read again":  {time.Hour, 0, false, true},
		"waited long": {0, time.Hour, false, true},
		"paused":      {0, 0, true, true},
	} {
		f := d.board.newFolder(syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"})
		f.status.State = status.Missing
		if test.paused {
			f.paused = plantest.Noon
		}
		f.last = plan.Step{Action: plan.Idle, State: status.Missing, Cause: status.Because(status.GoneForNow)}
		d.board.jobOf(f).Snapshot.Absent = watcher.Absence{Since: time.Now().Add(-test.missed), Reads: 1}
		p := pass{d: d, failing: map[*folder]time.Time{f: time.Now().Add(-test.failing)}}
		if p.isDone(f, d.Files.Roots()) != test.want {
			t.Errorf("%s: it is done: %t", name, !test.want)
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
