package plan_test

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWhenTheTableMayBeCleared: a set is complete when every frame of it is whole and read, or when
// it is the published one. A folder at rest is known to be so, though its frames are not held.
func TestWhenTheTableMayBeCleared(t *testing.T) {
	first := func(changes ...func(*plan.Scene)) plan.Scene {
		return fresh(3, changes...)
	}
	view := func(changes ...func(*plan.Scene)) plan.Scene {
		return view(changes...)
	}
	for name, test := range map[string]struct {
		scene plan.Scene
		is    bool
	}{
		"a whole set":                   {first(), true},
		"with an unread frame":          {first(unread), false},
		"with a frame too few":          {first(func(s *plan.Scene) { s.Facts.Rules.Frames = 4 }), false},
		"with names that fall together": {first(adds("FRAME_01.jpg")), false},
		"with a broken frame":           {first(func(s *plan.Scene) { plantest.Break(s, 1, plantest.Noon) }), false},
		"the published set":             {view(unread), true},
		"by other settings":             {view(func(s *plan.Scene) { s.Facts.Rules.Frames = 4 }), true},
		"with a run by them":            {view(func(s *plan.Scene) { s.Facts.Rules.Frames, s.Record.Run = 4, new(syncstate.Run) }), false},
		"with a frame more":             {view(func(s *plan.Scene) { plantest.AddFrame(s, "new.jpg") }, unread), false},
		"with a frame less":             {view(func(s *plan.Scene) { s.Facts.Snapshot.Frames = s.Facts.Snapshot.Frames[1:] }, notSeenStill), false},
		"with another frame":            {view(func(s *plan.Scene) { s.Facts.Snapshot.Frames[1].Size++ }), false},
		"at rest":                       {view(func(s *plan.Scene) { s.Facts.Snapshot.Idle, s.Facts.Snapshot.Frames = true, nil }), true},
		"a file is being written": {view(func(s *plan.Scene) {
			s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "1.tmp", Since: plantest.Noon}, Frame: "frame_01.jpg"}}
		}), false},
	} {
		if is := test.scene.IsWholeSet(); is != test.is {
			t.Errorf("%s: complete %t", name, is)
		}
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
		"published, seen again":   {view(notSeenStill), 3},
		"moving, and unread":      {fresh(3, notSeenStill, unread), 0},
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

// TestArrival: a folder arrives with its newest frame that is not published. Frames that stood at
// the first look count by the time of their file.
func TestArrival(t *testing.T) {
	first := plantest.Noon.Add(-10 * time.Minute)
	scene := func(since ...time.Duration) plan.Scene {
		s := fresh(len(since))
		var from []int
		for i, after := range since {
			s.Facts.Snapshot.Frames[i].Since, s.Facts.Snapshot.Frames[i].ModTime = first.Add(after), first.Add(-time.Hour)
			if after == 0 {
				from = append(from, i)
			}
		}
		stood(from...)(&s)
		return s
	}
	future := scene(0)
	future.Facts.Snapshot.Frames[0].ModTime = first.Add(time.Hour)
	stood(0)(&future)
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
