package plan_test

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
)

// TestForetellFirstUpload: what is half sent for the first time is seen through; what replaces a
// view is told as a reupload.
func TestForetellFirstUpload(t *testing.T) {
	first := plantest.Running(plantest.AScene(3), 1, 3)
	adopted := plantest.Running(plantest.AScene(3), 1, 3)
	adopted.Record.Run.Reupload = true
	for want, s := range map[string]plan.Scene{"finish": first, "reupload": adopted} {
		if does, detail := plan.Foretell(s, plan.Next(s)); does != want {
			t.Errorf("told as %q (%s), want %q", does, detail, want)
		}
	}
}

// TestForetellWhatNobodyRead: beside a frame that certainly changed, those of another time and the
// same size are told as what they are.
func TestForetellWhatNobodyRead(t *testing.T) {
	for _, test := range []struct {
		touched int
		want    string
	}{
		{0, "3 frames, 1 of them new or changed, 0 removed"},
		{2, "3 frames, 1 of them new or changed and 2 perhaps, 0 removed"},
	} {
		s := plantest.Published(plantest.AScene(3))
		s.Snapshot.Frames[0].Size++
		s.Readings["frame_01.jpg"] = plan.Reading{File: plan.FileOf(s.Snapshot.Frames[0]), Whole: true}
		for i := range test.touched {
			f := &s.Snapshot.Frames[i+1]
			f.ModTime = f.ModTime.Add(time.Minute)
			s.Readings[f.Name] = plan.Reading{File: plan.FileOf(*f), Whole: true}
		}
		if does, detail := plan.Foretell(s, plan.Next(s)); does != "reupload" || detail != test.want {
			t.Errorf("told as %s, %q, want %q", does, detail, test.want)
		}
	}
}
