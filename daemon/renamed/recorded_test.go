package renamed

import (
	"testing"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
)

// A folder is still once it has settled; one that was never seen to change is still from now on.
func TestStillSince(t *testing.T) {
	folder := reading.New(reading.Files{}, syncstate.Folder{}, &reading.Root{Watch: config.Watch{Settle: time.Minute}})
	before := time.Now()
	if still := (Search{Folder: folder}).stillSince(); still.Before(before) {
		t.Errorf("never seen to change, and still since %s", still)
	}
	folder.Snapshot.Changed = before.Add(-time.Hour)
	if still := (Search{Folder: folder}).stillSince(); !still.Equal(before.Add(-59 * time.Minute)) {
		t.Errorf("changed an hour ago, and still since %s", still)
	}
}

// A folder whose product was asked for, and of which no frame was sent, is known by its listing.
func TestFolderKnownByItsListing(t *testing.T) {
	folder := reading.New(reading.Files{}, syncstate.Folder{}, new(reading.Root))
	folder.Snapshot = plantest.AScene(3).Snapshot
	var asked syncstate.Record
	NoteAskedFor(&asked, folder.Snapshot)
	others := asked
	others.AskedFor = listingHash(folder.Snapshot.Frames[:2])
	for name, test := range map[string]struct {
		record syncstate.Record
		is     bool
	}{
		"its own listing":       {asked, true},
		"another one":           {others, false},
		"nothing was asked for": {syncstate.Record{}, false},
	} {
		if is, err := (Search{Folder: folder}).continues(t.Context(), plan.FrameSet{}, test.record); is != test.is || err != nil {
			t.Errorf("%s: %t, %v", name, is, err)
		}
	}
}
