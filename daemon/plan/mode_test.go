package plan_test

import (
	"errors"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
)

// TestEarlierReasonIsMarked: a pass does not take a folder for done that shows a person its earlier
// reason while its frames are read again, paused or not.
func TestEarlierReasonIsMarked(t *testing.T) {
	for name, change := range map[string]func(*plan.Scene){
		"at work": func(*plan.Scene) {},
		"in a pause, and not read for a while": func(s *plan.Scene) {
			s.Record.Paused, s.Blind = true, &plan.Blind{Err: errors.New("input/output error"), Until: plantest.Noon.Add(time.Second)}
		},
	} {
		s := plantest.With(plantest.AScene(3), unread, change)
		s.Stopped, s.Record.Cause = true, status.Because(status.TooFew)
		if next := plan.Next(s); next.State != status.Attention || next.Mode != plan.Retold {
			t.Errorf("%s: %s, %s, mode %d", name, next.Action, next.State, next.Mode)
		}
	}
}

// TestFramesKnowTheirScene: frames that were sorted once are judged by the scene of each later
// plan.
func TestFramesKnowTheirScene(t *testing.T) {
	s := plantest.Running(plantest.AScene(3), 2, 3)
	s.Memo = new(plan.Memo)
	if next := plan.Next(s); next.Action != plan.Upload || len(next.Frames) != 1 {
		t.Fatalf("%s of %d frames, want the upload of one", next.Action, len(next.Frames))
	}
	s.UnderWay = map[string]bool{"frame_03.jpg": true}
	if next := plan.Next(s); next.Action == plan.Upload {
		t.Errorf("the upload of %d frames that are under way", len(next.Frames))
	}
}
