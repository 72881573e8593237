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
// with work owed is paused where it is displayed, and nothing is sent.
func TestPauseKeepsWhatOwesNothing(t *testing.T) {
	for name, test := range map[string]struct {
		scene  plan.Scene
		action plan.Action
		state  status.State
	}{
		"published":                  {plantest.Published(plantest.AScene(3)), plan.Idle, status.Published},
		"published and seen again":   {plantest.With(plantest.Published(plantest.AScene(3)), notSeenAtRest), plan.Wait, status.Published},
		"touched":                    {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, "frame_02.jpg") }), plan.Note, status.Published},
		"touched, and not compared":  {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, ""); clear(s.Facts.Readings); plantest.MarkRead(s, 1) }), plan.Wait, status.Paused},
		"beside texts not read yet":  {plantest.With(plantest.Published(plantest.AScene(3)), textless, shownPublished), plan.Wait, status.Published},
		"shot again":                 {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { plantest.Touch(s, 1, "new") }), plan.Idle, status.Paused},
		"beside a new text":          {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Facts.Texts.Said = alttext.Texts{"frame_01.jpg": {"en": {Value: "A shoe"}}} }), plan.Idle, status.Paused},
		"of another title":           {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Facts.Wanted.Title = "New" }), plan.Idle, status.Paused},
		"to be looked for":           {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) { s.Record.Verify = true }), plan.Idle, status.Paused},
		"empty":                      {plantest.AScene(0), plan.Idle, status.Collecting},
		"not published yet":          {plantest.AScene(3), plan.Idle, status.Paused},
		"being sent":                 {plantest.Running(plantest.AScene(3), 1, 3), plan.Idle, status.Paused},
		"gone":                       {plantest.With(plantest.Published(plantest.AScene(3)), gone(2), verified), plan.Wait, status.Missing},
		"gone, and to be looked for": {plantest.With(plantest.Published(plantest.AScene(3)), gone(2)), plan.Idle, status.Missing},
		"gone, and to be deleted":    {plantest.With(plantest.Published(plantest.AScene(3)), gone(2), deleting, asked(syncstate.RemovalConfirmed)), plan.Idle, status.Paused},
		"gone without a trace":       {plantest.With(plantest.AScene(0), gone(1)), plan.Forget, status.Missing},
		"back":                       {plantest.With(plantest.Published(plantest.AScene(3)), asked(syncstate.RemovalConfirmed)), plan.ClearAbsence, status.Paused},
		"in need of a person":        {plantest.With(plantest.AScene(3), func(s *plan.Scene) { s.Facts.Unidentified = errors.New("product.toml: line 1") }), plan.Idle, status.Attention},
		"in need of one, unread": {plantest.With(plantest.AScene(3), unread, func(s *plan.Scene) {
			told(status.Because(status.TooFew))(s)
		}), plan.Wait, status.Attention},
		"unread for a while": {plantest.With(plantest.Published(plantest.AScene(3)), func(s *plan.Scene) {
			plantest.Touch(s, 1, "")
			clear(s.Facts.Readings)
			plantest.MarkRead(s, 1)
			blind(s)
		}), plan.Wait, status.Paused},
	} {
		for by, pause := range map[string]func(*plan.Scene){
			"alone": func(s *plan.Scene) { s.Record.Paused = plantest.Noon }, "with all": func(s *plan.Scene) { s.Around.AllPaused = true },
		} {
			s := test.scene
			pause(&s)
			next := plan.Next(plantest.Judged(s))
			below, pause := s.Shown(next), status.Pause{Folder: plantest.Noon}
			shown := pause.Over(status.ProductStatus{State: status.State(below.State), Cause: below.Cause})
			if next.Action != test.action || shown.State != test.state || below.State == string(status.Paused) {
				t.Errorf("%s, paused %s: %s, %s over %s (%s); want %s, %s", name, by, next.Action, shown.State, below.State, plantest.Said(below.Cause), test.action, test.state)
			}
		}
	}
}

func shownPublished(s *plan.Scene) {
	s.Record.Shown = syncstate.Shown{State: string(status.Published), Content: plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings)}
}

// TestHeldStepChangesNothingShown: a step that a pause holds up leaves what is shown. A folder that owed
// nothing before waits for its turn.
func TestHeldStepChangesNothingShown(t *testing.T) {
	for was, want := range map[status.State]status.State{
		"": status.Queued, status.Published: status.Queued, status.Attention: status.Queued,
		status.Collecting: status.Collecting, status.Uploading: status.Uploading, status.Retrying: status.Retrying,
	} {
		s := plantest.With(plantest.AScene(3), func(s *plan.Scene) {
			s.Record.Paused = plantest.Noon
			s.Record.Shown = syncstate.Shown{State: string(was), Cause: status.Because(status.NoAnswer), Since: plantest.Noon}
		})
		shown := s.Shown(plan.Next(plantest.Judged(s)))
		if kept := shown == s.Record.Shown; shown.State != string(want) || kept != (was == want) {
			t.Errorf("%s: shown as %+v", was, shown)
		}
	}
}
