package show

import (
	"strings"
	"testing"
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// TestSummaryOfRoots: a root that is away is told in a sentence, with why and for how long.
func TestSummaryOfRoots(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	status := status.Status{Started: now.Add(-time.Hour), Roots: []watcher.RootStatus{
		{Path: "/srv/a", Reason: "is missing: connect the drive, or correct the path", Since: now.Add(-8 * time.Second)},
		{Path: "/srv/b", Unread: true, Reason: "is being read for the first time", Since: now.Add(-8 * time.Second)},
		{Path: "/srv/c", Online: true},
	}}
	_, roots, _ := strings.Cut(summary(status, now), "\n")
	want := "/srv/a has been offline for 8s: it is missing: connect the drive, or correct the path\n/srv/b is being read for the first time"
	if roots != want {
		t.Errorf("%q, want %q", roots, want)
	}
}

// TestFrameCount: people are told how far a folder has got, and nothing of the frames of one that
// is gone.
func TestFrameCount(t *testing.T) {
	for _, test := range []struct {
		state             status.State
		settled, uploaded int
		want              string
	}{
		{status.Collecting, 0, 0, "0/6"},
		{status.Collecting, 4, 2, "4/6"},
		{status.Uploading, 4, 2, "2/6"},
		{status.Published, 6, 6, "6"},
		{status.Missing, 0, 6, "-"},
	} {
		p := status.ProductStatus{State: test.state, Frames: status.FrameCounts{Settled: test.settled, Uploaded: test.uploaded, Expected: 6}}
		if got := frameCount(p); got != test.want {
			t.Errorf("%s: %s, want %s", test.state, got, test.want)
		}
	}
}
