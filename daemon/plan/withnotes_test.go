package plan_test

import (
	"testing"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// A published folder shows sidecars that make no sense, with its other notes.
func TestWithNotesHasTheTexts(t *testing.T) {
	problems := []alttext.Problem{{File: "alt.csv", Line: 3, Message: "is no frame"}}
	told := plan.Scene{}.WithNotes(&status.Cause{Kind: status.StuckProcessing}, problems)
	if told == nil || told.Kind != status.WithNotes || len(told.Parts) != 2 || told.Parts[1].Kind != status.TextProblems {
		t.Errorf("told %+v", told)
	}
	others := &watcher.NotTaken{Files: []watcher.NotTakenFile{{File: "a.bmp", Why: "no frame"}}, Count: 1}
	told = plan.Scene{Facts: plan.Facts{Snapshot: watcher.Snapshot{NotTaken: others}}}.WithNotes(nil, nil)
	if told == nil || len(told.Parts) != 1 || told.Parts[0].Kind != status.SomeNotTaken {
		t.Errorf("photos that are no frames are told as %+v", told)
	}
	if told := (plan.Scene{}).WithNotes(nil, nil); told != nil {
		t.Errorf("nothing is told as %+v", told)
	}
}

// A published folder tells that a number is missing among its frames, although their count is the
// known one.
func TestWithNotesHasAMissingNumber(t *testing.T) {
	s := plantest.AScene(2)
	plantest.AddFrame(&s, "frame_04.jpg")
	s.Facts.Rules.Frames = 3
	s = plantest.Published(s)
	next := plan.Next(plantest.Judged(s))
	const want = `perhaps a frame is missing: the numbers jump from "frame_02.jpg" to "frame_04.jpg"`
	if told := plantest.Words(s.WithNotes(next.Cause, nil)); next.State != status.Published || told != want {
		t.Errorf("%s: %s", next.State, told)
	}
}
