package plan_test

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
)

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
