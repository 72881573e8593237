package main

import (
	"slices"
	"testing"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// A daemon that has just started does not know the new folders of a root that it has not read yet.
func TestPlanWarnsOfARootThatWasNotRead(t *testing.T) {
	got := warningsOf(status.Status{Roots: []watcher.RootStatus{
		{Path: "/read", Online: true}, {Path: "/new", Unread: true}, {Path: "/away", Reason: "is not there"},
	}})
	want := []string{"the watched folder /away is not there", "the watched folder /new was not read yet; its new folders are not listed"}
	if !slices.Equal(got, want) {
		t.Errorf("the warnings are %q", got)
	}
}
