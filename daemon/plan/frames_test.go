package plan_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon/manifest"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
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

// TestCaptureTime: the time of capture comes from the reading of this very file, the run, or the
// published revision, whichever knows the file as it stands.
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

// TestFramesAreCounted: people see how many frames have come to rest, and how much they weigh.
func TestFramesAreCounted(t *testing.T) {
	for name, test := range map[string]struct {
		scene   plan.Scene
		resting int
	}{
		"whole":                   {fresh(3), 3},
		"unread":                  {fresh(3, unread), 3},
		"moving":                  {fresh(3, moves(0)), 2},
		"broken":                  {fresh(3, broken(0, 0)), 2},
		"read, and changed since": {fresh(3, broken(0, 0), grows(0)), 3},
		"broken as it was sent":   {plantest.Running(fresh(3, broken(0, 0)), 3, 3), 2},
		"published, seen again":   {view(notSeenAtRest), 3},
		"moving, and unread":      {fresh(3, notSeenAtRest, unread), 0},
	} {
		if got := test.scene.Resting(); got != test.resting {
			t.Errorf("%s: %d at rest, want %d", name, got, test.resting)
		}
	}
	s := fresh(3, grows(0))
	plantest.MarkRead(&s, 0)
	s = plantest.Judged(s)
	if got, want := s.Set.SizeKey(), (plan.SizeKey{Images: 3, Bytes: 3001}); got != want || s.Facts.TotalBytes() != want.Bytes {
		t.Errorf("%+v and %d bytes, want %+v", got, s.Facts.TotalBytes(), want)
	}
}

// TestWhatThePageShowsOfASet: the page names what holds a set up, which frames are broken, and
// which one is to be shot again.
func TestWhatThePageShowsOfASet(t *testing.T) {
	s := fresh(4, broken(0, time.Hour), broken(1, 0), unreadFrame(2), moves(3))
	set := s.Set
	if diff := cmp.Diff(map[string]string{"frame_01.jpg": "ends early", "frame_02.jpg": "ends early"}, set.BrokenFrames()); diff != "" {
		t.Error(diff)
	}
	if set.Corrupt != "frame_01.jpg" {
		t.Errorf("%q is to be shot again", set.Corrupt)
	}
	var kinds []string
	for _, c := range set.Open {
		kinds = append(kinds, string(c.Kind)+" "+c.Name)
	}
	want := []string{"still changing frame_04.jpg", "not whole frame_01.jpg", "not whole frame_02.jpg", "not checked frame_03.jpg"}
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

// TestWrongCount: only a number of frames that a person must see to is wrong.
func TestWrongCount(t *testing.T) {
	for name, test := range map[string]struct {
		scene plan.Scene
		want  status.Kind
	}{
		"right":               {fresh(3), ""},
		"too few":             {fresh(3, turn(4)), status.TooFew},
		"too few, not quiet":  {fresh(3, turn(4), changed(0)), ""},
		"too many":            {fresh(3, turn(2), changed(0)), status.TooMany},
		"not known, and busy": {fresh(3, moves(0)), ""},
	} {
		wrong := test.scene.Set.WrongCount()
		if (wrong == nil) != (test.want == "") || wrong != nil && wrong.Kind != test.want {
			t.Errorf("%s: %+v, want %q", name, wrong, test.want)
		}
	}
}

// TestArrival: a folder arrives with its newest frame that is not published. Frames that stood at
// the first look count by the time of their file.
func TestArrival(t *testing.T) {
	first := plantest.Noon.Add(-10 * time.Minute)
	scene := func(since ...time.Duration) plan.Scene {
		s := fresh(len(since))
		s.Facts.FirstLook = first
		for i, after := range since {
			s.Facts.Snapshot.Frames[i].Since, s.Facts.Snapshot.Frames[i].ModTime = first.Add(after), first.Add(-time.Hour)
		}
		return s
	}
	future := scene(0)
	future.Facts.Snapshot.Frames[0].ModTime = first.Add(time.Hour)
	for name, test := range map[string]struct {
		scene plan.Scene
		want  time.Time
	}{
		"no frame":               {scene(), time.Time{}},
		"stood":                  {scene(0), first.Add(-time.Hour)},
		"came":                   {scene(1), first.Add(1)},
		"stood, by a wrong time": {future, first},
		"stood, and came":        {scene(0, 2), first.Add(2)},
		"came, and stood":        {scene(2, 0), first.Add(2)},
		"published":              {plantest.Published(scene(1, 2)), time.Time{}},
		"published, and new":     {plantest.With(plantest.Published(scene(1, 2)), grows(0)), first.Add(1)},
	} {
		if got := test.scene.Arrival(); !got.Equal(test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// TestShot: a view was shot when the last of its new frames came. The view before has the others,
// and a frame that comes later belongs to the next run.
func TestShot(t *testing.T) {
	came := func(i int) time.Time { return plantest.Noon.Add(time.Duration(i) * time.Minute) }
	s := plantest.Published(fresh(4))
	for i := range s.Facts.Snapshot.Frames {
		s.Facts.Snapshot.Frames[i].Since = came(i)
	}
	removed := plantest.Running(s, 3, 3)
	if got := removed.Shot(); !got.IsZero() {
		t.Errorf("no frame is new, and it was shot at %s", got)
	}
	reshot := plantest.Running(plantest.With(s, grows(1), grows(3)), 3, 3)
	if got := reshot.Shot(); !got.Equal(came(1)) {
		t.Errorf("it was shot at %s, want %s", got, came(1))
	}
}

// TestFrameDetails: of each frame people see the file as it stands, beside the image that was made
// of it, and of those that are gone the file as it was.
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
	for name, test := range map[string]struct {
		scene plan.Scene
		want  status.FrameState
	}{
		"begun":                {plantest.With(plantest.Running(plantest.AScene(1), 1, 1), unsentFrom(0)), status.FrameWaiting},
		"begun, and published": {plantest.With(plantest.Running(view(), 3, 3), unsentFrom(0)), status.FrameWaiting},
	} {
		if got := test.scene.FrameDetails()[0].State; got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
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
