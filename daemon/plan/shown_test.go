package plan_test

import (
	"fmt"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWhatStaysOnDisplay: people see the earlier reason while a failed step is tried again, and while
// the same frames are looked at again.
func TestWhatStaysOnDisplay(t *testing.T) {
	again := func(s *plan.Scene) {
		trouble(syncstate.RetriedAndShown, "")(s)
		s.Record.Trouble.Content = plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings)
		s.Now = plantest.Noon.Add(time.Minute)
	}
	retried := func(s *plan.Scene) { again(s); s.Record.Trouble.Kind = syncstate.Retried }
	few := &status.Cause{Kind: status.TooFew, Count: 3, Of: 4}
	sending := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Running(plantest.AScene(3), 2, 3), changes...)
	}
	published := func(s *plan.Scene) {
		s.Record.Shown = syncstate.Shown{State: string(status.Published), Content: plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings)}
	}
	failed := func(s *plan.Scene) { s.Record.Shown.State = string(status.Retrying) }
	shotAgain := func(s *plan.Scene) { s.Facts.Snapshot.Fingerprint[0]++ }
	for name, test := range map[string]struct {
		scene plan.Scene
		want  string
	}{
		"an upload":                  {sending(again), "attention, no answer, a request"},
		"an upload after a wait":     {sending(retried), "uploading, sending, "},
		"a reading":                  {fresh(1, again, unread), "attention, no answer, a request"},
		"a look":                     {sending(again, unchecked), "attention, no answer, a request"},
		"another step":               {fresh(3, again), "attention, no answer, a request"},
		"another set":                {fresh(3, again, shotAgain), "uploading, finding project, "},
		"a rest":                     {fresh(0, again), "collecting, no frames, "},
		"frames read again":          {fresh(3, shownBefore(few), unread), "attention, too few, a request"},
		"frames seen again":          {fresh(3, shownBefore(few), moves(2), changed(0)), "attention, too few, a request"},
		"frames that are not quiet":  {fresh(3, shownBefore(few), changed(0)), "attention, too few, a request"},
		"others that are not quiet":  {fresh(0, others(1), shownBefore(few), changed(0)), "attention, too few, a request"},
		"a file that is written":     {fresh(3, shownBefore(few), func(s *plan.Scene) { s.Facts.Unidentified = products.ErrBeingWritten }), "attention, too few, a request"},
		"new frames":                 {fresh(3, shownBefore(few), unread, shotAgain), "collecting, checking, "},
		"frames by other rules":      {fresh(3, shownBefore(few), unread, func(s *plan.Scene) { s.Facts.Settings = "others" }), "collecting, checking, "},
		"frames that are enough now": {fresh(3, shownBefore(few)), "uploading, finding project, "},
		"frames that cannot be read": {fresh(3, shownBefore(few), unread, blind), "retrying, unreadable, "},
		"a failure, read again":      {fresh(3, shownBefore(few), failed, unread), "retrying, too few, a request"},
		"a failure that is over":     {fresh(3, shownBefore(few), failed, changed(0)), "collecting, awaits quiet, "},
		"a view read again":          {view(published, textless), "published, , "},
		"a view with new frames":     {view(published, shotAgain, reshot(1), unread), "collecting, checking, "},
		"a first upload, unread":     {sending(shownBefore(few), turn(3), moves(0), unsentFrom(1)), "uploading, sending, "},
		"a first upload, seen again": {sending(shownBefore(few), moves(0)), "attention, too few, a request"},
		"a pause":                    {fresh(1, shownBefore(few), unread, func(s *plan.Scene) { s.Record.Wishes.Paused = plantest.Noon }), "attention, too few, a request"},
		"a pause over a call":        {fresh(3, shownBefore(few), func(s *plan.Scene) { s.Record.Wishes.Paused = plantest.Noon }), "attention, too few, a request"},
		"a pause over another set":   {fresh(3, shownBefore(few), shotAgain, func(s *plan.Scene) { s.Record.Wishes.Paused = plantest.Noon }), "queued, resumed, "},
		"a root that is away, and trouble": {plantest.With(fresh(1, shownBefore(few)), func(s *plan.Scene) {
			s.Facts.Snapshot = watcher.Snapshot{}
			trouble(syncstate.NeedsPerson, plan.ContentOf(s.Facts.Snapshot, s.Facts.Settings))(s)
		}), "attention, no answer, a request"},
		"a root that is away": {plantest.With(fresh(1, shownBefore(few)), func(s *plan.Scene) { s.Facts.Snapshot = watcher.Snapshot{} }), "attention, too few, a request"},
	} {
		shown := test.scene.Shown(plan.Next(plantest.Judged(test.scene)))
		kind := status.Kind("")
		if shown.Cause != nil {
			kind = shown.Cause.Kind
		}
		if got := fmt.Sprintf("%s, %s, %s", shown.State, kind, shown.Detail); got != test.want {
			t.Errorf("%s: %s; want %s", name, got, test.want)
		}
	}
}

// TestHeldStepChangesNothingShown: a step that a pause holds up leaves what is shown. A folder that owed
// nothing before waits for its turn.
func TestHeldStepChangesNothingShown(t *testing.T) {
	for was, want := range map[status.State]status.State{
		"": status.Queued, status.Published: status.Queued, status.Attention: status.Queued,
		status.Collecting: status.Collecting, status.Uploading: status.Uploading, status.Retrying: status.Retrying,
	} {
		s := fresh(3, func(s *plan.Scene) {
			s.Record.Wishes.Paused = plantest.Noon
			s.Record.Shown = syncstate.Shown{State: string(was), Cause: status.Because(status.NoAnswer), Since: plantest.Noon}
		})
		shown := s.Shown(plan.Next(plantest.Judged(s)))
		if kept := shown == s.Record.Shown; shown.State != string(want) || kept != (was == want) {
			t.Errorf("%s: shown as %+v", was, shown)
		}
	}
}
