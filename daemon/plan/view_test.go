package plan_test

import (
	"io/fs"
	"slices"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestViewsOfAStation: a station that took the work over acts on a folder once it sees it as it is
// recorded, or once every cache shows what is there. It never acts by time alone on a view that lacks
// what was published.
func TestViewsOfAStation(t *testing.T) {
	rested := func(changes ...func(*plan.Scene)) plan.Scene {
		s := view()
		s.Record.Idle.Listing = plan.ListingHash(s.Facts.Snapshot)
		return plantest.With(s, changes...)
	}
	over := func(s *plan.Scene) { s.Around.View = &plan.View{From: plantest.Noon} }
	young := func(s *plan.Scene) { s.Around.View = &plan.View{From: plantest.Noon.Add(time.Minute)} }
	seen := func(s *plan.Scene) { s.Around.View.Seen = true }
	differs := func(s *plan.Scene) { s.Facts.Snapshot.Fingerprint = watcher.Fingerprint{2} }
	lost := func(s *plan.Scene) {
		differs(s)
		s.Facts.Snapshot.Frames = slices.Delete(s.Facts.Snapshot.Frames, 0, 1)
	}
	shot := func(s *plan.Scene) {
		differs(s)
		f := &s.Facts.Snapshot.Frames[0]
		f.Size, f.ModTime = f.Size+1, f.ModTime.Add(time.Hour)
	}
	older := func(s *plan.Scene) {
		differs(s)
		f := &s.Facts.Snapshot.Frames[0]
		f.Size, f.ModTime = f.Size+1, f.ModTime.Add(-time.Hour)
	}
	said := func(s *plan.Scene) { // product.toml is not the one with which it came to rest
		differs(s)
		s.Facts.Snapshot.Sidecars = []watcher.File{{Name: "product.toml", ModTime: plantest.Noon.Add(-time.Hour)}}
		s.Record.Idle.Newest = plantest.Noon.Add(-time.Minute).UnixNano()
	}
	newly := func(s *plan.Scene) { s.Facts.Snapshot.Sidecars[0].ModTime = plantest.Noon }
	busy := func(s *plan.Scene) { s.Facts.Snapshot.Busy = make([]watcher.Busy, 1) }
	rows := func(s *plan.Scene) { s.Facts.Settings = "another row" }
	unreadRows := func(s *plan.Scene) { s.Facts.Row.Err = products.ErrBeingWritten }
	atRest := func(s *plan.Scene) { s.Facts.Snapshot = watcher.Snapshot{Present: true, Idle: true} }
	begun := func(s *plan.Scene) { // the records are of a computer that was alone
		s.Record.Idle.Settings = "alone"
		for i := range s.Record.Published.Frames {
			f := &s.Record.Published.Frames[i]
			f.ModTime, f.ID = f.ModTime.Add(1300*time.Millisecond), "7"
			s.Facts.Snapshot.Frames[i].ModTime = watcher.AsShared(f.ModTime)
		}
	}
	unreadable := func(s *plan.Scene) { s.Facts.Snapshot.Err = fs.ErrPermission }
	sending := func(s *plan.Scene) { s.Record.Run = &syncstate.Run{Phase: syncstate.FormWanted, Reupload: true} }
	making := func(s *plan.Scene) { // its create got no answer
		s.Record.Run = plantest.Making("SKU-1")
		for _, f := range s.Facts.Snapshot.Frames {
			s.Record.Run.Frames = append(s.Record.Run.Frames, syncstate.RunFrame{File: plan.FileOf(f)})
		}
	}
	const waits, asks = "view settles", "view behind"
	for name, test := range map[string]struct {
		s    plan.Scene
		want string
	}{
		"a computer alone":                  {view(lost), ""},
		"as it is recorded":                 {rested(young), ""},
		"as a computer alone recorded it":   {rested(over, begun, said), ""},
		"its texts at once":                 {rested(young, said, newly), waits},
		"its texts later":                   {rested(over, said, newly), ""},
		"older texts":                       {rested(over, said), asks},
		"older texts, and a file comes":     {rested(over, said, busy), ""},
		"older texts, seen before":          {rested(over, seen, said), ""},
		"its row at once":                   {rested(young, rows), waits},
		"its row, not read yet":             {rested(young, unreadRows), waits},
		"its row, not judged yet":           {rested(young, rows, atRest), ""},
		"and a photo is missing":            {rested(over, begun, lost), asks},
		"and one was shot again":            {rested(over, begun, shot), ""},
		"a new folder at once":              {fresh(3, young), waits},
		"a new folder later":                {fresh(3, over), ""},
		"shot again, at once":               {rested(young, shot), waits},
		"shot again, later":                 {rested(over, shot), ""},
		"shot again, and seen before":       {rested(young, seen, shot), ""},
		"a photo is missing":                {rested(over, lost), asks},
		"a photo is older":                  {rested(over, older), asks},
		"a photo is missing, seen before":   {rested(over, seen, lost), ""},
		"a photo is missing, another newer": {rested(over, lost, shot), ""},
		"under way, at once":                {rested(young, sending), waits},
		"under way, later":                  {rested(over, sending), ""},
		"its product is being made":         {fresh(3, young, making), ""},
		"and a photo comes":                 {fresh(3, over, making, shot), ""},
		"and a photo is not there":          {fresh(3, over, making, lost), asks},
		"gone, at once":                     {rested(young, gone(2)), waits},
		"gone, later":                       {rested(over, gone(2)), ""},
		"it cannot be read":                 {rested(young, unreadable), ""},
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
