package plan_test

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestViewsOfAStation: a station that took the work over acts on a folder once it sees it as it is
// recorded, or once every cache shows what is there. It never acts by time alone on a view that lacks
// what was published.
func TestViewsOfAStation(t *testing.T) {
	over := func(s *plan.Scene) { s.Around.View = &plan.View{From: plantest.Noon} }
	young := func(s *plan.Scene) { s.Around.View = &plan.View{From: plantest.Noon.Add(time.Minute)} }
	seen := func(s *plan.Scene) { s.Around.View.Seen = true }
	lost := func(s *plan.Scene) { s.Facts.Snapshot.Frames = slices.Delete(s.Facts.Snapshot.Frames, 0, 1) }
	shot := func(s *plan.Scene) {
		f := &s.Facts.Snapshot.Frames[0]
		f.Size, f.ModTime = f.Size+1, f.ModTime.Add(time.Hour)
	}
	older := func(s *plan.Scene) {
		f := &s.Facts.Snapshot.Frames[0]
		f.Size, f.ModTime = f.Size+1, f.ModTime.Add(-time.Hour)
	}
	begun := func(s *plan.Scene) { // the records are of a computer that was alone
		for i := range s.Record.Published.Frames {
			f := &s.Record.Published.Frames[i]
			f.ModTime, f.ID = f.ModTime.Add(1300*time.Millisecond), "7"
			s.Facts.Snapshot.Frames[i].ModTime = watcher.AsShared(f.ModTime)
		}
	}
	unreadable := func(s *plan.Scene) { s.Facts.Snapshot.Err = fs.ErrPermission }
	sending := func(s *plan.Scene) { s.Record.Run = &syncstate.Run{Phase: syncstate.FormWanted, Reupload: true} }
	const waits, asks = "view settles", "view behind"
	for name, test := range map[string]struct {
		s    plan.Scene
		want string
	}{
		"a computer alone":                  {view(lost), ""},
		"as it is recorded":                 {view(young), ""},
		"as a computer alone recorded it":   {view(young, begun), ""},
		"and a photo is missing":            {view(over, begun, lost), asks},
		"and one was shot again":            {view(over, begun, shot), ""},
		"a new folder at once":              {fresh(3, young), waits},
		"a new folder later":                {fresh(3, over), ""},
		"shot again, at once":               {view(young, shot), waits},
		"shot again, later":                 {view(over, shot), ""},
		"shot again, and seen before":       {view(young, seen, shot), ""},
		"a photo is missing":                {view(over, lost), asks},
		"a photo is older":                  {view(over, older), asks},
		"a photo is missing, seen before":   {view(over, seen, lost), ""},
		"a photo is missing, another newer": {view(over, lost, shot), ""},
		"under way, at once":                {view(young, sending), waits},
		"under way, later":                  {view(over, sending), ""},
		"gone, at once":                     {view(young, gone(2)), waits},
		"gone, later":                       {view(over, gone(2)), ""},
		"it cannot be read":                 {view(young, unreadable), ""},
		"its finish was sent": {plantest.With(plantest.Running(plantest.AScene(3), 3, 3), young, func(s *plan.Scene) {
			s.Record.Run.Phase = syncstate.Finishing
		}), ""},
	} {
		next := plan.Next(test.s)
		held := ""
		if next.Cause != nil && (next.Cause.Kind == waits || next.Cause.Kind == asks) {
			held = string(next.Cause.Kind)
		}
		if held != test.want {
			t.Errorf("%s: held by %q, want %q; the step is %v", name, held, test.want, next)
		}
	}
}

// TestUnreadRecord: nothing is done for a folder of which the fleet's record cannot be read, whatever it
// was before.
func TestUnreadRecord(t *testing.T) {
	unread := func(s *plan.Scene) { s.Record.Unread = map[string][]byte{"folders/": []byte("{")} }
	for name, s := range map[string]plan.Scene{
		"new":       fresh(3, unread),
		"published": view(unread),
		"gone":      view(unread, gone(2)),
		"sending":   plantest.With(plantest.Running(plantest.AScene(3), 3, 3), unread),
		"finishing": plantest.With(plantest.Running(plantest.AScene(3), 3, 3), unread, func(s *plan.Scene) {
			s.Record.Run.Phase = syncstate.Finishing
		}),
	} {
		next := plan.Next(s)
		if next.Action != plan.Idle || next.State != status.Attention || next.Cause.Kind != status.Unread {
			t.Errorf("%s: the step is %v", name, next)
		}
		if p := status.ProductOf(syncstate.Folder{}, s.Record); p.State != status.Attention || p.Cause.Kind != status.Unread {
			t.Errorf("%s: a standby shows %s, %v", name, p.State, p.Cause)
		}
	}
}
