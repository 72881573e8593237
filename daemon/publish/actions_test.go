package publish

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// TestEveryActionHasItsDeed: an action that does not wait has a deed, and none is left over.
func TestEveryActionHasItsDeed(t *testing.T) {
	deeds := NewJob(&Publisher{}, syncstate.Folder{}, nil).deeds()
	for a := range plan.Actions {
		if waits := a == plan.Idle || a == plan.Wait; (deeds[a] == nil) != waits {
			t.Errorf("%q waits %t, and has a deed %t", a, waits, deeds[a] != nil)
		}
	}
	if len(deeds) != len(plan.Actions)-2 {
		t.Errorf("%d deeds for %d actions, of which two wait", len(deeds), len(plan.Actions))
	}
}
