package publish

import (
	"testing"

	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// TestEveryActionHasItsHandler: an action that does not wait has a handler, and none is left over.
func TestEveryActionHasItsHandler(t *testing.T) {
	handlers := NewJob(&Publisher{Records: NewRecords(nil)}, syncstate.Folder{}, nil).handlers()
	for a := range plan.Actions {
		if waits := a == plan.Idle || a == plan.Wait; (handlers[a] == nil) != waits {
			t.Errorf("%q waits %t, and has a handler %t", a, waits, handlers[a] != nil)
		}
	}
	if len(handlers) != len(plan.Actions)-2 {
		t.Errorf("%d handlers for %d actions, of which two wait", len(handlers), len(plan.Actions))
	}
}
