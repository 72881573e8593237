package publish

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// shown is a board that knows a folder, and has it in one state.
type shown struct {
	Neighbours
	Keeper
	Display
	state status.State
}

func (b shown) Show(p *status.ProductStatus, _ plan.Step) News {
	return News{Known: true, State: p.State != b.state}
}
func (shown) ShowFrames(syncstate.Folder, Condition) {}
func (shown) FollowWishes(syncstate.Folder)          {}

// TestOnlyNewsIsRecorded: a step is recorded when it changes the state, the names of a product to
// come, or the reason of a folder at rest. Else the state file would be written at each look.
func TestOnlyNewsIsRecorded(t *testing.T) {
	waits := plan.Step{Action: plan.Wait, State: status.Collecting, Cause: status.Because(status.LookingForView)}
	rests := plan.Step{Action: plan.Idle, State: status.Collecting, Cause: waits.Cause}
	named := func(s *plan.Scene) { s.Record.Product = s.Facts.Wanted.WithUUID("") }
	atRest := func(s *plan.Scene) { named(s); s.Record.Shown.Cause = waits.Cause }
	renames := func(s *plan.Scene) { s.Facts.Wanted.Title = "another" }
	idle := func(s *plan.Scene) { s.Facts.Snapshot.Idle = true }
	for name, test := range map[string]struct {
		scene plan.Scene
		step  plan.Step
		shown status.State
		want  bool
	}{
		"nothing new":           {plantest.With(plantest.AScene(2), named), waits, status.Collecting, false},
		"another state":         {plantest.With(plantest.AScene(2), named), waits, status.Published, true},
		"a name":                {plantest.AScene(2), waits, status.Collecting, true},
		"a name of a product":   {plantest.Published(plantest.AScene(2)), waits, status.Collecting, false},
		"a product's new name":  {plantest.With(plantest.Published(plantest.AScene(2)), renames), waits, status.Collecting, false},
		"nothing was read":      {plantest.With(plantest.AScene(2), named, idle), waits, status.Collecting, false},
		"a reason, at rest":     {plantest.With(plantest.AScene(2), named), rests, status.Collecting, true},
		"the same one, at rest": {plantest.With(plantest.AScene(2), atRest), rests, status.Collecting, false},
	} {
		t.Run(name, func(t *testing.T) {
			sc := &screen{display: shown{state: test.shown}}
			sc.show(test.step, test.scene)
			if (sc.pending != nil) != test.want {
				t.Errorf("recorded is %+v", sc.pending)
			}
		})
	}
}
