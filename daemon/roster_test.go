package daemon

import (
	"testing"
	"time"
)

// TestOldListsAreDropped: the list of a project that is done with is not kept.
func TestOldListsAreDropped(t *testing.T) {
	var r rosters
	now := time.Now()
	r.keep("old", roster{asked: now.Add(-rosterLife)})
	r.keep("young", roster{asked: now.Add(-time.Second)})
	r.keep("new", roster{asked: now})
	_, old := r.known["old"]
	_, young := r.known["young"]
	if old || !young || len(r.known) != 2 {
		t.Errorf("%d lists are kept", len(r.known))
	}
}
