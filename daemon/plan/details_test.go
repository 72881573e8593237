package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
)

// TestHowEachFrameStands: people see of each frame whether it is still to come, sent, published or
// gone.
func TestHowEachFrameStands(t *testing.T) {
	view := func() plan.Scene { return plantest.Published(plantest.AScene(3)) }
	for name, test := range map[string]struct {
		scene plan.Scene
		want  []status.FrameState
	}{
		"not begun":    {plantest.AScene(2), []status.FrameState{status.FrameWaiting, status.FrameWaiting}},
		"half sent":    {plantest.Running(plantest.AScene(2), 1, 2), []status.FrameState{status.FrameSent, status.FrameWaiting}},
		"still coming": {plantest.With(plantest.AScene(1), func(s *plan.Scene) { s.Facts.Snapshot.Frames[0].Still = false }), []status.FrameState{status.FrameArriving}},
		"published":    {view(), []status.FrameState{status.FramePublished, status.FramePublished, status.FramePublished}},
		"one changed and one gone": {plantest.With(view(), func(s *plan.Scene) {
			s.Facts.Snapshot.Frames = s.Facts.Snapshot.Frames[:2]
			s.Facts.Snapshot.Frames[1].Size++
		}), []status.FrameState{status.FramePublished, status.FrameWaiting, status.FrameGone}},
	} {
		var got []status.FrameState
		for _, f := range test.scene.FrameDetails() {
			got = append(got, f.State)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestWhoseTextIsTold: of each alt text people see what the folder says, where, what the service
// holds, and whether that came from here.
func TestWhoseTextIsTold(t *testing.T) {
	s := plantest.Published(plantest.AScene(1))
	f := &s.Record.Published.Frames[0]
	f.Alt = map[string]string{"en": "A shoe", "de": "Ein Schuh", "fr": "Une chaussure"}
	f.AltSet = map[string]string{"en": "A shoe", "fr": "Une botte"}
	s.Facts.Texts.Said = alttext.Texts{f.Name: {
		"en": {Value: "A red shoe", Source: "alt.csv", Line: 1}, "it": {Value: "Una scarpa", Source: "alt.it.txt"},
	}}
	want := map[string]status.AltDetails{
		"en": {Local: "A red shoe", Source: "alt.csv:1", Service: "A shoe", Ours: true},
		"de": {Service: "Ein Schuh"},
		"fr": {Service: "Une chaussure"},
		"it": {Local: "Una scarpa", Source: "alt.it.txt"},
	}
	details := s.FrameDetails()
	if diff := cmp.Diff(want, details[0].Alt); diff != "" {
		t.Error(diff)
	}
	if details[0].ImageID != f.ImageID || details[0].MediaURL != f.MediaURL {
		t.Errorf("the image is told as %+v", details[0])
	}
}
