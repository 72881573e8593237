package plan_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/manifest"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
)

// TestFramesInTheirOrder: the whole frames stand in the order of the rules, with the names under
// which that order holds on the service.
func TestFramesInTheirOrder(t *testing.T) {
	s := fresh(0, adds("8.jpg", "9.jpg", "10.jpg"))
	for i, hour := range []int{3, 1, 2} {
		f := s.Facts.Snapshot.Frames[i]
		s.Facts.Readings[f.Name] = plan.Reading{File: plan.FileOf(f), Whole: true, Captured: plantest.Noon.Add(time.Duration(hour) * time.Hour)}
	}
	for order, want := range map[string][]string{
		"name":     {"10.jpg 10.jpg", "8.jpg 8.jpg", "9.jpg 9.jpg"},
		"natural":  {"8.jpg 001_8.jpg", "9.jpg 002_9.jpg", "10.jpg 003_10.jpg"},
		"captured": {"9.jpg 001_9.jpg", "10.jpg 002_10.jpg", "8.jpg 003_8.jpg"},
	} {
		s.Facts.Rules.Order = manifest.Order(order)
		set := plantest.Judged(s).Set
		var got []string
		for _, f := range set.Whole {
			got = append(got, f.Name+" "+set.Stored[f.Name])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("by %s: %s", order, diff)
		}
	}
}

// TestCaptureTime: the time of capture comes from the reading of this very file, else from the run,
// else from the published revision, where the file is still the same there.
func TestCaptureTime(t *testing.T) {
	s := plantest.Running(plantest.Published(plantest.AScene(1)), 1, 1)
	f := s.Facts.Snapshot.Frames[0]
	s.Record.Published.Frames[0].Captured, s.Record.Run.Frames[0].Captured = plantest.Noon, plantest.Noon.Add(time.Hour)
	s.Facts.Readings[f.Name] = plan.Reading{File: plan.FileOf(f), Captured: plantest.Noon.Add(2 * time.Hour)}
	for i, forget := range []func(){
		func() {},
		func() { r := s.Facts.Readings[f.Name]; r.File.Size++; s.Facts.Readings[f.Name] = r },
		func() { clear(s.Facts.Readings) },
		func() { s.Record.Run = nil },
	} {
		forget()
		want := plantest.Noon.Add([]time.Duration{2, 1, 1, 0}[i] * time.Hour)
		if got := plantest.Judged(s).Set.CapturedAt(f); !got.Equal(want) {
			t.Errorf("source %d: %s, want %s", i, got, want)
		}
	}
	f.Size++
	if got := plantest.Judged(s).Set.CapturedAt(f); !got.IsZero() {
		t.Errorf("of a photo that replaced it: %s", got)
	}
}

// TestWhatThePageShowsOfASet: the page names what holds a set up, which frames are broken, and
// which one must be shot again.
func TestWhatThePageShowsOfASet(t *testing.T) {
	s := fresh(4, broken(0, time.Hour), broken(1, 0), unreadFrame(2), moves(3), busy("", 0))
	set := s.Set
	if diff := cmp.Diff(map[string]string{"frame_01.jpg": "ends early", "frame_02.jpg": "ends early"}, set.BrokenFrames()); diff != "" {
		t.Error(diff)
	}
	if set.Corrupt != "frame_01.jpg" {
		t.Errorf("%q must be shot again", set.Corrupt)
	}
	var kinds []string
	for _, c := range set.Open {
		kinds = append(kinds, string(c.Kind)+" "+c.Name)
	}
	want := []string{"still changing frame_04.jpg", "temporary x.part", "not whole frame_01.jpg", "not whole frame_02.jpg", "not checked frame_03.jpg"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	plan.StayBroken(s.Facts.Readings)
	if got := plantest.Judged(s).Set.Problem; got == nil || len(got.Parts) != 2 {
		t.Errorf("if nothing changes a person hears of %+v", got)
	}
	if r := s.Facts.Readings["frame_04.jpg"]; !r.Since.Equal(plantest.Noon.Add(-time.Hour)) {
		t.Errorf("the reading of a whole frame is of %s", r.Since)
	}
}

// TestSceneThatWasNotJudged: without its set a folder counts neither as published nor as complete.
func TestSceneThatWasNotJudged(t *testing.T) {
	for name, s := range map[string]plan.Scene{"a view": view(), "a whole set": fresh(3), "all sent": plantest.Running(fresh(3), 3, 3)} {
		s.Set = plan.Set{}
		if next := plan.Next(s); next.Action == plan.Idle || next.Action == plan.Finish {
			t.Errorf("%s: %s, %s", name, next.Action, next.State)
		}
	}
}

// TestFramesThatMustBeStill: of a published folder in which one frame is shot again the others are
// not said to change.
func TestFramesThatMustBeStill(t *testing.T) {
	s := plantest.Published(plantest.AScene(3))
	for i := range s.Facts.Snapshot.Frames {
		s.Facts.Snapshot.Frames[i].Still = false
	}
	s.Facts.Snapshot.Frames[1].Size++
	want := "waiting for frame_02.jpg (still changing), frame_01.jpg (checked again), frame_03.jpg (checked again)"
	if next := plan.Next(plantest.Judged(s)); plantest.Words(next.Cause) != want {
		t.Errorf("%s, want %s", plantest.Words(next.Cause), want)
	}
}
