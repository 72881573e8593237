package daemon

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestPassIsDone: with which folders a pass may end, so long after all roots were read.
func TestPassIsDone(t *testing.T) {
	d := idleDaemon(t)
	w := d.config.Watch[0]
	whole := 3*w.Settle + w.Quiet // for a folder without a broken frame
	now := time.Now()
	moving := func(s *plan.Scene) {
		for i := range s.Facts.Snapshot.Frames {
			s.Facts.Snapshot.Frames[i].Still = false
		}
	}
	inMotion := plan.Next(plantest.With(plantest.Published(plantest.AScene(2)), moving))
	broken := plantest.With(plantest.AScene(3), func(s *plan.Scene) { plantest.Break(s, 1, plantest.Noon) })
	cutOff := plan.Next(broken)
	asks := func(cause status.Kind, until time.Time) plan.Step {
		return plan.Step{Action: plan.Wait, State: status.Missing, Cause: status.Because(cause), Until: until}
	}
	for name, test := range map[string]struct {
		shown status.State
		last  plan.Step
		after time.Duration
		want  bool
	}{
		// However long the pass has gone on, what changed is planned again, which shows at least what keeps it.
		"changed under a step": {status.Uploading, plan.Again(now.Add(plan.ChangedPause)), time.Hour, false},
		// Something may be owed once it is at rest. What never comes to rest does not keep the pass.
		"in motion":            {status.Published, inMotion, 0, false},
		"in motion for long":   {status.Published, inMotion, time.Hour, true},
		"gone, not shown so":   {status.Published, asks(status.GoneWithView, now.Add(time.Hour)), 0, false},
		"gone, shown so":       {status.Missing, asks(status.GoneWithView, now.Add(time.Hour)), 0, true},
		"gone, asked soon":     {status.Missing, asks(status.GoneWithView, now.Add(d.config.Poll.First)), time.Hour, false},
		"gone, asked tomorrow": {status.Missing, asks(status.GoneWithView, now.Add(d.config.Poll.First+time.Hour)), time.Hour, true},
		"gone, asked in vain":  {status.Missing, asks(status.GoneWithView, now.Add(d.config.Poll.First)), time.Hour, true},
		"gone or renamed":      {status.Missing, asks(status.GoneOrRenamed, now.Add(d.config.Poll.First)), time.Hour, true},
		"gone, root offline": {
			status.Missing, plan.Step{Action: plan.Idle, State: status.Missing, Cause: status.Because(status.GoneForNow)}, time.Hour, true,
		},
		// A frame that stays broken needs a person at last; where it never comes to that, the pass ends soon.
		"broken":               {status.Collecting, cutOff, whole, false},
		"broken, nearly shown": {status.Collecting, cutOff, w.Settle + plan.BrokenPatience, false},
		"broken for long":      {status.Collecting, cutOff, whole + plan.BrokenPatience, true},
	} {
		f := d.board.newFolder(keyIn(d, "Summer/SKU-1"))
		f.status.State, f.last = test.shown, test.last
		d.board.jobOf(f).Folder.Snapshot.Root = f.key.Root
		if strings.HasPrefix(name, "broken") {
			f.broken = broken.Set.BrokenFrames()
		}
		p := pass{d: d, read: now.Add(-test.after), failing: map[*folder]time.Time{}}
		if strings.HasSuffix(name, "in vain") {
			p.failing[f] = now.Add(-2 * passPatience)
		}
		if got := p.isDone(f, d.files.Watcher.Roots()); got != test.want {
			t.Errorf("%s: it is done: %t", name, got)
		}
	}
}

// TestPassWaitsForTheSecondRead: a pass waits for a second whole read of a root that has lost a
// folder whose view it deletes. It does not wait once more when that read did not count,
// without end, or for a paused folder.
func TestPassWaitsForTheSecondRead(t *testing.T) {
	d := idleDaemon(t)
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	watching.Go(func() { d.files.Watcher.Run(ctx) })
	<-d.files.Watcher.FirstRead()
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
		d.board.jobOf(f).Folder.Snapshot = watcher.Snapshot{Root: f.key.Root}
		d.board.jobOf(f).Folder.Snapshot.Absent = watcher.Absence{Since: time.Now().Add(-test.missed), Reads: 1}
		p := pass{d: d, failing: map[*folder]time.Time{f: time.Now().Add(-test.failing)}}
		if p.isDone(f, d.files.Watcher.Roots()) != test.want {
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
