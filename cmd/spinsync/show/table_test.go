package show

import (
	"strings"
	"testing"
	"time"

	"spinsync/daemon/status"
	"spinsync/watcher"
)

// TestSummaryOfRoots: a root that is away has a sentence, with why and for how long.
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

// TestFrameCount: a row shows how far a folder has got. A folder that is gone has no count.
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

// TestSinceOfAPublishedFolder: a view is live since its publication, also where a touched file was
// compared a moment ago.
func TestSinceOfAPublishedFolder(t *testing.T) {
	live := time.Now().Add(-3 * time.Hour)
	p := status.ProductStatus{Folder: "SKU-1", State: status.Published, Since: time.Now(), Live: status.Live{PublishedAt: &live}}
	var out strings.Builder
	if err := Status(&out, status.Status{Products: []status.ProductStatus{p}}); err != nil || !strings.Contains(out.String(), "3h") {
		t.Errorf("%v: %s", err, &out)
	}
}

// TestStatusWithoutADaemon: a recorded status is shown as recorded, and promises no next try.
func TestStatusWithoutADaemon(t *testing.T) {
	next := time.Now().Add(time.Hour)
	s := status.Status{Products: []status.ProductStatus{{Folder: "SKU-1", State: status.Retrying, NextTry: &next}}}
	for started, want := range map[time.Time]string{{}: "no daemon is running; this was recorded last\n", next: "next try in "} {
		var out strings.Builder
		s.Started = started
		if err := Status(&out, s); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, want %q: %s", err, want, &out)
		}
		if started.IsZero() == strings.Contains(out.String(), "next try") {
			t.Errorf("a next try without a daemon, or none with one: %s", &out)
		}
	}
}

// TestSummaryOfOtherSettings: a station that takes nothing over says so.
func TestSummaryOfOtherSettings(t *testing.T) {
	fleet := &status.Fleet{Station: "anna", Active: "bert", Differs: map[string]string{"/srv/a": "frames"}}
	if text := summary(status.Status{Fleet: fleet}, time.Now()); !strings.Contains(text, "\n"+status.OtherSetting("/srv/a", "frames")) {
		t.Error(text)
	}
}
