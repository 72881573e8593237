package renamed

import (
	"testing"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
)

// A frame that was sent early may have changed since, so that it proves no rename.
func TestFramesThatProveARename(t *testing.T) {
	run := &syncstate.Run{Frames: []syncstate.RunFrame{{Early: true}, {}}}
	run.Frames[0].Name, run.Frames[1].Name = "early.jpg", "sent.jpg"
	known := recordedFrames(syncstate.Record{Run: run})
	if _, sent := known["sent.jpg"]; !sent || len(known) != 1 {
		t.Errorf("known are %v", known)
	}
}

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
