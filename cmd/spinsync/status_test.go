package main

import (
	"strings"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/watcher"
)

// TestSummaryOfRoots: a root that is away is told in a sentence, with why and for how long.
func TestSummaryOfRoots(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	status := daemon.Status{Started: now.Add(-time.Hour), Roots: []watcher.RootStatus{
		{Path: "/srv/a", Reason: "is missing: connect the drive, or correct the path", Since: now.Add(-8 * time.Second)},
		{Path: "/srv/b", Reason: "is being read for the first time"},
		{Path: "/srv/c", Online: true},
	}}
	_, roots, _ := strings.Cut(summary(status, now), "\n")
	want := "/srv/a has been offline for 8s: it is missing: connect the drive, or correct the path\n/srv/b is being read for the first time"
	if roots != want {
		t.Errorf("%q, want %q", roots, want)
	}
}
