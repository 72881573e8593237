package plan_test

import (
	"errors"
	"testing"

	"spinsync/daemon/alttext"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPauseKeepsWhatOwesNothing: in a pause a folder for which nothing is owed keeps its state, one
// with work owed is paused, and nothing is sent.
func TestPauseKeepsWhatOwesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		scene  plan.Scene
		action plan.Action
		state  status.State
	}{
		"published":                  {plantest.Published(plantest.AScene(3)), plan.Idle, status.Published},
		"published and seen again":   {plantest.With(plantest.Published(plantest.AScene(3)), notSeenAtRest), plan.Wait, status.Published},
		"touched":                    {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, "frame_02.jpg") }), plan.Note, status.Published},
		"touched, and not compared":  {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, ""); clear(s.Readings); plantest.MarkRead(s, 1) }), plan.Idle, status.Paused},
		"beside texts not read yet":  {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Texts.Said = nil }), plan.Idle, status.Published},
		"shot again":                 {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, "new") }), plan.Idle, status.Paused},
		"beside a new text":          {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Texts.Said = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}} }), plan.Idle, status.Paused},
		"of another title":           {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Wanted.Title = "New" }), plan.Idle, status.Paused},
		"to be looked for":           {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Record.Verify = true }), plan.Idle, status.Paused},
		"empty":                      {plantest.AScene(0), plan.Idle, status.Collecting},
		"not published yet":          {plantest.AScene(3), plan.Idle, status.Paused},
		"being sent":                 {plantest.Running(plantest.AScene(3), 1, 3), plan.Idle, status.Paused},
		"gone":                       {plantest.With(plantest.Published(plantest.AScene(3)), gone(2), verified), plan.Wait, status.Missing},
		"gone, and to be looked for": {plantest.With(plantest.Published(plantest.AScene(3)), gone(2)), plan.Idle, status.Missing},
		"gone, and to be deleted":    {plantest.With(plantest.Published(plantest.AScene(3)), gone(2), deleting, asked(syncstate.RemovalConfirmed)), plan.Idle, status.Paused},
		"gone without a trace":       {plantest.With(plantest.AScene(0), gone(1)), plan.Forget, status.Missing},
		"back":                       {plantest.With(plantest.Published(plantest.AScene(3)), asked(syncstate.RemovalConfirmed)), plan.ClearAbsence, status.Collecting},
		"in need of a person":        {plantest.With(plantest.AScene(3), func(s *plan.Scene) { s.Unidentified = errors.New("product.toml: line 1") }), plan.Idle, status.Attention},
		"in need of one, unread": {plantest.With(plantest.AScene(3), unread, func(s *plan.Scene) {
			told(status.Because(status.TooFew))(s)
		}), plan.Idle, status.Attention},
		"unread for a while": {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			plantest.Touch(s, 1, "")
			clear(s.Readings)
			plantest.MarkRead(s, 1)
			blind(s)
		}), plan.Idle, status.Paused},
	} {
		for by, pause := range map[string]func(*plan.Scene){
			"alone": func(s *plan.Scene) { s.Record.Paused = true }, "with all": func(s *plan.Scene) { s.Around.AllPaused = true },
		} {
			s := test.scene
			pause(&s)
			next := plan.Next(s)
			if shown := s.Shown(next); next.Action != test.action || shown.State != string(test.state) {
				t.Errorf("%s, paused %s: %s, %s (%s); want %s, %s", name, by, next.Action, shown.State, plantest.Said(shown.Cause), test.action, test.state)
			}
		}
	}
}
