package plan_test

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWhenTheTableMayBeCleared: a set is complete when every frame of it is whole and read, or when
// it is the published one. A folder at rest is known to be so, though its frames are not held.
func TestWhenTheTableMayBeCleared(t *testing.T) {
	first := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.AScene(3), changes...)
	}
	view := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Published(plantest.AScene(3)), changes...)
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
		"with a frame less":             {view(func(s *plan.Scene) { s.Facts.Snapshot.Frames = s.Facts.Snapshot.Frames[1:] }, notSeenAtRest), false},
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
