package publish

import (
	"testing"

	"spinsync/syncstate"
)

// A run that gave up a form remembers it, so that the next form is asked for once the set is
// complete. A run that never had one does not wait for that.
func TestFormThatWasGivenUpIsRemembered(t *testing.T) {
	for name, test := range map[string]struct {
		before syncstate.Run
		want   bool
	}{
		"a form":       {syncstate.Run{Form: new(syncstate.Form)}, true},
		"one given up": {syncstate.Run{GivenUp: true}, true},
		"none yet":     {syncstate.Run{}, false},
	} {
		if next := withoutForm(&test.before, 3); next.GivenUp != test.want {
			t.Errorf("%s: the next form waits for the whole set: %t", name, next.GivenUp)
		}
		if next := OwedRun(&test.before); next.GivenUp != test.want {
			t.Errorf("%s: the next run waits for the whole set: %t", name, next.GivenUp)
		}
	}
	if OwedRun(nil).GivenUp {
		t.Error("a new run waits for the whole set")
	}
}
