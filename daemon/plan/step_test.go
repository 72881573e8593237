package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// rows are scenes with the whole step that each is owed, as inShort has it.
type rows map[string]struct {
	scene plan.Scene
	want  string
}

// check plans every scene.
func (r rows) check(t *testing.T) {
	for name, row := range r {
		if got := inShort(plan.Next(plantest.Judged(row.scene))); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, row.want)
		}
	}
}

// inShort is all that a step says, with times as they lie from noon.
func inShort(next plan.Step) string {
	parts := []string{fmt.Sprintf("%s: %s", next.Action, next.State)}
	add := func(is bool, format string, args ...any) {
		if is {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	if c := next.Cause; c != nil {
		add(true, "%s", c.Kind)
		add(c.Of > 0 || c.Count > 0 && c.Parts == nil, "%d of %d", c.Count, c.Of)
		add(c.For > 0, "for %s", c.For)
		add(len(c.Parts) > 0, "%d parts", len(c.Parts))
	}
	add(next.Detail != "", "detail %s", next.Detail)
	for _, f := range next.Frames {
		add(true, "%s", strings.TrimSuffix(strings.TrimPrefix(f.Name, "frame_"), ".jpg"))
	}
	for _, f := range next.Need.Frames {
		add(true, "reads %s", strings.TrimSuffix(strings.TrimPrefix(f.Name, "frame_"), ".jpg"))
	}
	add(next.Need.Digest, "digest")
	add(next.Need.Texts, "texts")
	add(next.Count > 0, "%d images", next.Count)
	add(!next.Until.IsZero(), "until %s", fromNoon(next.Until))
	add(!next.QuietAt.IsZero(), "quiet at %s", fromNoon(next.QuietAt))
	add(!next.Due().IsZero(), "due %s", fromNoon(next.Due()))
	return strings.Join(parts, ", ")
}

func fromNoon(t time.Time) time.Duration { return t.Sub(plantest.Noon) }

// TestStepsThatArePutOff: a step that cannot be done yet waits as what it is.
func TestStepsThatArePutOff(t *testing.T) {
	step := plan.Step{Action: plan.Upload, State: status.Uploading, Cause: status.Because(status.AllSent), Count: 3}
	if got, want := inShort(step.PutOff(plantest.Noon.Add(time.Second))), "wait: uploading, all sent, until 1s, due 1s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := inShort(plan.Again(plantest.Noon.Add(time.Second))), "wait: queued, until 1s, due 1s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A wait is over at its very end: a folder that still waited then would be planned without a pause.
func TestWaitsEndOnTime(t *testing.T) {
	stirred := func(s *plan.Scene) { s.Facts.Snapshot.Changed = plantest.Noon.Add(-time.Second) }
	for name, s := range map[string]plan.Scene{
		"quiet": fresh(3, stirred),
		"a temporary file": fresh(3, func(s *plan.Scene) {
			s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "x.part", Since: plantest.Noon}}}
		}),
		"a failure": fresh(3, func(s *plan.Scene) {
			s.Record.Trouble = &syncstate.Trouble{
				Kind: syncstate.Retried, At: plantest.Noon, Tries: syncstate.Tries{Next: plantest.Noon.Add(time.Second)}, Cause: status.Because(status.NoView),
			}
		}),
		"the next status request": plantest.With(plantest.Running(plantest.AScene(3), 3, 3), func(s *plan.Scene) {
			s.Record.Run.Phase, s.Record.Run.Looks.Next = syncstate.Processing, plantest.Noon.Add(time.Second)
		}),
	} {
		before := plan.Next(plantest.Judged(s))
		if before.Action != plan.Wait || !before.Until.After(s.Now) {
			t.Errorf("%s: %s until %s", name, before.Action, before.Until)
			continue
		}
		s.Now = before.Until.Add(-1)
		if early := plan.Next(plantest.Judged(s)); early.Action != plan.Wait {
			t.Errorf("%s: %s before its end", name, early.Action)
		}
		s.Now = before.Until
		if next := plan.Next(plantest.Judged(s)); next.Action == plan.Wait && !next.Until.After(s.Now) {
			t.Errorf("%s: it still waits at its end, %s", name, before.Until)
		}
	}
}

// TestWhichActionsAskForTheStatus: a status request counts against the gap between two of them, so
// each action that begins with one says so.
func TestWhichActionsAskForTheStatus(t *testing.T) {
	fresh, running := plantest.AScene(3), plantest.Running(plantest.AScene(3), 1, 3)
	published, owed, unchecked := fresh, running, running
	published.Record.Product.UUID = "product"
	owed.Record.Run, unchecked.Unchecked = &syncstate.Run{Phase: syncstate.Owed}, true
	asking := map[plan.Action]bool{
		plan.ConfirmRun: true, plan.ConfirmFinish: true, plan.Poll: true, plan.Verify: true, plan.Reconcile: true, plan.ConfirmDelete: true,
	}
	for name, test := range map[string]struct {
		scene            plan.Scene
		reupload, others bool
	}{
		"no product":                  {fresh, false, false},
		"no run":                      {published, true, true},
		"a run that is to begin":      {owed, true, true},
		"a run of this process":       {running, false, true},
		"a run of an earlier process": {unchecked, true, true},
	} {
		for action := range plan.Actions {
			want := asking[action] && test.others || action == plan.Reupload && test.reupload
			if got := test.scene.AsksStatus(action); got != want {
				t.Errorf("%s, %s: asks %t", name, action, got)
			}
		}
	}
}
