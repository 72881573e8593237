package publish

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRunsThatARefusedListHoldsBack: a product is not made, and a reupload not begun. Where a run
// goes on, or the reupload itself was refused the list, the request goes out.
func TestRunsThatARefusedListHoldsBack(t *testing.T) {
	var fresh, begun, refused plan.Scene
	begun.Record.Run = &syncstate.Run{Phase: syncstate.FormWanted}
	refused.Record.Trouble = &syncstate.Trouble{Cause: status.Because(status.ListRefused)}
	for name, test := range map[string]struct {
		scene  plan.Scene
		action plan.Action
		want   bool
	}{
		"create":               {fresh, plan.Create, true},
		"reupload":             {fresh, plan.Reupload, true},
		"another form":         {begun, plan.Reupload, false},
		"a refused reupload":   {refused, plan.Reupload, false},
		"the list of a run":    {begun, plan.Collect, false},
		"the fields of a view": {fresh, plan.Update, false},
	} {
		if got := beginsRun(test.scene, test.action); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
