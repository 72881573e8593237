package plan_test

import (
	"errors"
	"testing"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestPauseKeepsWhatOwesNothing: in a pause a folder for which nothing is owed keeps its state, one
// with work owed is paused where it is displayed, and nothing is sent.
func TestPauseKeepsWhatOwesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		scene  plan.Scene
		action plan.Action
		state  status.State
	}{
		"published":                  {view(), plan.Idle, status.Published},
		"published and seen again":   {view(notSeenStill), plan.Wait, status.Published},
		"touched":                    {view(func(s *plan.Scene) { plantest.Touch(s, 1, "frame_02.jpg") }), plan.Note, status.Published},
		"touched, and not compared":  {view(func(s *plan.Scene) { plantest.Touch(s, 1, ""); clear(s.Facts.Readings); plantest.MarkRead(s, 1) }), plan.Wait, status.Paused},
		"beside texts not read yet":  {view(textless, shownPublished), plan.Wait, status.Published},
		"shot again":                 {view(func(s *plan.Scene) { plantest.Touch(s, 1, "new") }), plan.Idle, status.Paused},
		"beside a new text":          {view(func(s *plan.Scene) { s.Facts.Texts.Said = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}} }), plan.Idle, status.Paused},
		"of another title":           {view(func(s *plan.Scene) { s.Facts.Wanted.Title = "New" }), plan.Idle, status.Paused},
		"to be looked for":           {view(func(s *plan.Scene) { s.Record.Wishes.Verify = true }), plan.Idle, status.Paused},
		"empty":                      {plantest.AScene(0), plan.Idle, status.Collecting},
		"not published yet":          {plantest.AScene(3), plan.Idle, status.Paused},
		"being sent":                 {plantest.Running(plantest.AScene(3), 1, 3), plan.Idle, status.Paused},
		"gone":                       {view(gone(2), verified), plan.Wait, status.Missing},
		"gone, and to be looked for": {view(gone(2)), plan.Idle, status.Missing},
		"gone, and to be deleted":    {view(gone(2), deleting, asked(syncstate.RemovalConfirmed)), plan.Idle, status.Paused},
		"gone without a trace":       {fresh(0, gone(1)), plan.Idle, status.Missing},
		"back":                       {view(asked(syncstate.RemovalConfirmed)), plan.ClearAbsence, status.Paused},
		"in need of a person":        {fresh(3, func(s *plan.Scene) { s.Facts.Unidentified = errors.New("product.toml: line 1") }), plan.Idle, status.Attention},
		"in need of one, unread": {fresh(3, unread, func(s *plan.Scene) {
			shownBefore(status.Because(status.TooFew))(s)
		}), plan.Wait, status.Attention},
		"unread for a while": {view(func(s *plan.Scene) {
			plantest.Touch(s, 1, "")
			clear(s.Facts.Readings)
			plantest.MarkRead(s, 1)
			blind(s)
		}), plan.Wait, status.Paused},
	} {
		for by, pause := range map[string]func(*plan.Scene){
			"alone": func(s *plan.Scene) { s.Record.Wishes.Paused = plantest.Noon }, "with all": func(s *plan.Scene) { s.Around.AllPaused = true },
		} {
			s := test.scene
			pause(&s)
			next := plan.Next(plantest.Judged(s))
			below, pause := s.Shown(next), status.Pause{Folder: plantest.Noon}
			shown := pause.Over(status.ProductStatus{State: status.State(below.State), Cause: below.Cause})
			if next.Action != test.action || shown.State != test.state || below.State == string(status.Paused) {
				t.Errorf("%s, paused %s: %s, %s over %s (%s); want %s, %s", name, by, next.Action, shown.State, below.State, plantest.Words(below.Cause), test.action, test.state)
			}
		}
	}
}

// TestWhatAPauseLeaves: a paused folder is read, waits as before, and sends nothing.
func TestWhatAPauseLeaves(t *testing.T) {
	paused := func(s *plan.Scene) { s.Record.Wishes.Paused = plantest.Noon }
	rows{
		"read":         {fresh(1, paused, unread), "wait: collecting, checking, 1 of 0, reads 01"},
		"blind":        {fresh(1, paused, unread, blind), "wait: retrying, unreadable, until 1s, due 1s"},
		"texts":        {view(paused, textless), "wait: processing, reading texts, reads 01, reads 02, reads 03, texts"},
		"a step":       {fresh(1, paused), "idle: paused, folder paused"},
		"a retry":      {fresh(1, paused, trouble(syncstate.Retried, "")), "wait: retrying, no answer, detail a request, until 1m0s, due 1m0s"},
		"not quiet":    {fresh(1, paused, changed(0)), "wait: collecting, awaits quiet, 1 of 0, for 30s, until 30s, quiet at 30s, due 30s"},
		"a told retry": {fresh(3, paused, trouble(syncstate.RetriedAndShown, plan.ContentOf(watcher.Snapshot{Present: true}, ""))), "wait: attention, no answer, detail a request, until 1m0s, due 1m0s"},
		"gone":         {view(paused, gone(1)), "idle: missing, gone with view"},
		"a rename":     {view(paused, gone(2), deleting, func(s *plan.Scene) { s.Around.MaybeMoved = true }), "wait: missing, gone or renamed, until 5s, due 5s"},
	}.check(t)
}
