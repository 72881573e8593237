package plan_test

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A folder that is back is welcomed before anything else: its view was only verified while it was
// gone, or a person was asked about it.
func TestFolderThatIsBackIsWelcomed(t *testing.T) {
	for name, change := range map[string]func(*plan.Scene){
		"its view was verified": verified,
		"a person was asked":    func(s *plan.Scene) { s.Record.Removal = syncstate.RemovalAsked },
		"both":                  asked(syncstate.RemovalAsked),
	} {
		if next := plan.Next(plantest.With(plantest.Published(plantest.AScene(3)), change)); next.Action != plan.ClearAbsence {
			t.Errorf("%s: %s", name, next.Action)
		}
	}
	if next := plan.Next(plantest.Published(plantest.AScene(3))); next.Action == plan.ClearAbsence {
		t.Error("a folder that was never gone is welcomed")
	}
}

// A run of an earlier process is compared with the service before it goes on, and a reupload reads
// the service anew.
func TestRunOfAnEarlierProcessIsCompared(t *testing.T) {
	resumed := func(s *plan.Scene) { s.Unchecked = true }
	s := plantest.Running(plantest.AScene(3), 1, 3)
	if next := plan.Next(plantest.With(s, resumed)); next.Action != plan.ConfirmRun {
		t.Errorf("it goes on with %s", next.Action)
	}
	if next := plan.Next(plantest.Judged(s)); next.Action != plan.Upload {
		t.Errorf("in the same process it goes on with %s", next.Action)
	}
	if s.BeginsReupload() || !plantest.With(s, resumed).BeginsReupload() {
		t.Error("what an earlier process read of the service serves on")
	}
}

// After a restart a broken frame stays on display while its file is the same, also in the words of an
// earlier version. A new file of that name has its time to become whole.
func TestNewFileThatIsBrokenHasItsTime(t *testing.T) {
	s := plantest.AScene(3)
	plantest.Break(&s, 1, plantest.Noon)
	told(&status.Cause{Kind: status.BrokenFrame, Name: "frame_02.jpg", Text: "it is cut off, as an earlier version said"})(&s)
	next := plan.Next(plantest.Judged(s))
	if shown := s.Shown(next); next.State != status.Collecting || shown.State != string(status.Attention) {
		t.Errorf("the very same file: %s, shown as %s, %s", next.State, shown.State, plantest.Said(shown.Cause))
	}
	s.Facts.Snapshot.Fingerprint[0]++
	if shown := s.Shown(next); shown.State != string(status.Collecting) {
		t.Errorf("a new file: %s, %s", shown.State, plantest.Said(shown.Cause))
	}
}

// Of several broken frames the first few are named, as while the folder collects.
func TestAllBrokenFramesAreTold(t *testing.T) {
	s := plantest.AScene(6)
	for i := range 5 {
		plantest.Break(&s, i, plantest.Noon.Add(-time.Hour))
	}
	s = plantest.Judged(s)
	next := plan.Next(s)
	want := "frame_01.jpg (ends early), frame_02.jpg (ends early), frame_03.jpg (ends early) and 2 more; " +
		"shoot or export them again, or remove them"
	if said := plantest.Said(next.Cause); next.State != status.Attention || said != want {
		t.Errorf("%s, %q, want %q", next.State, said, want)
	}
	if corrupt := s.Set.Corrupt; corrupt != "frame_01.jpg" {
		t.Errorf("the frame to be shot again is %q", corrupt)
	}
}

// A wait is over at its very end: a folder that still waited then would be planned without a pause.
func TestWaitsEndOnTime(t *testing.T) {
	stirred := func(s *plan.Scene) { s.Facts.Snapshot.Changed = plantest.Noon.Add(-time.Second) }
	for name, s := range map[string]plan.Scene{
		"quiet": plantest.With(plantest.AScene(3), stirred),
		"a temporary file": plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "x.part", Since: plantest.Noon}}}
		}),
		"a failure": plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{
				Kind: syncstate.Retried, At: plantest.Noon, Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Second)}, Cause: status.Because(status.NoView),
			}
		}),
		"the next status request": plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Phase, s.Record.Run.Looks.Next = syncstate.Processing, plantest.Noon.Add(time.Second)
		}),
	} {
		before := plan.Next(plantest.Judged(s))
		if before.Action != plan.Wait || !before.Until.After(s.Now) {
			t.Errorf("%s: %s until %s", name, before.Action, before.Until)
			continue
		}
		s.Now = before.Until.Add(-1)
		if early := plan.Next(plantest.Judged(s)); early.Action != plan.Wait {
			t.Errorf("%s: %s before its end", name, early.Action)
		}
		s.Now = before.Until
		if next := plan.Next(plantest.Judged(s)); next.Action == plan.Wait && !next.Until.After(s.Now) {
			t.Errorf("%s: it still waits at its end, %s", name, before.Until)
		}
	}
}
