package plan_test

import (
	"slices"
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
	for name, test := range map[string]struct {
		scene plan.Scene
		want  []status.FrameState
	}{
		"not begun":            {plantest.AScene(2), []status.FrameState{status.FrameWaiting, status.FrameWaiting}},
		"half sent":            {plantest.Running(plantest.AScene(2), 1, 2), []status.FrameState{status.FrameSent, status.FrameWaiting}},
		"still coming":         {fresh(1, func(s *plan.Scene) { s.Facts.Snapshot.Frames[0].Still = false }), []status.FrameState{status.FrameArriving}},
		"begun":                {plantest.With(plantest.Running(plantest.AScene(1), 1, 1), unsentFrom(0)), []status.FrameState{status.FrameWaiting}},
		"begun, and published": {plantest.With(plantest.Running(view(), 3, 3), unsentFrom(0)), []status.FrameState{status.FrameWaiting, status.FrameWaiting, status.FrameWaiting}},
		"published":            {view(), []status.FrameState{status.FramePublished, status.FramePublished, status.FramePublished}},
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
		t.Errorf("the image is shown as %+v", details[0])
	}
}

// TestFrameDetails: each frame has its file as it is now, and the image that was made of it. A
// frame that is gone has the file as it was.
func TestFrameDetails(t *testing.T) {
	s := plantest.Published(fresh(2, adds("turn.mp4")))
	for i := range s.Record.Published.Frames {
		f := &s.Record.Published.Frames[i]
		f.Captured, f.ThumbnailURL = plantest.Noon, "thumb/"+f.Name
	}
	was := s.Record.Published.Frames
	s.Facts.Snapshot.Frames = slices.Clone(s.Facts.Snapshot.Frames[:1])
	grows(0)(&s)
	plantest.AddFrame(&s, "new.mp4")
	s.Facts.Readings["new.mp4"] = plan.Reading{File: plan.FileOf(s.Facts.Snapshot.Frames[1]), Whole: true, Captured: plantest.Noon.Add(1)}
	none := map[string]status.AltDetails{}
	published := func(i int, state status.FrameState, more int64) status.FrameDetails {
		f := was[i]
		return status.FrameDetails{
			File: f.Name, State: state, Video: i == 2, Size: f.Size + more, ModTime: f.ModTime, Captured: f.Captured,
			ImageID: f.ImageID, MediaURL: f.MediaURL, ThumbnailURL: f.ThumbnailURL, Alt: none,
		}
	}
	f := s.Facts.Snapshot.Frames[1]
	want := []status.FrameDetails{
		{File: "new.mp4", State: status.FrameWaiting, Video: true, Size: f.Size, ModTime: f.ModTime, Captured: plantest.Noon.Add(1), Alt: none},
		published(0, status.FrameWaiting, 1), published(1, status.FrameGone, 0), published(2, status.FrameGone, 0),
	}
	if diff := cmp.Diff(want, plantest.Judged(s).FrameDetails()); diff != "" {
		t.Error(diff)
	}
}
