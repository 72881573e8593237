package renamed

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
)

// A folder is still once it has settled; one that was never seen to change is still from now on.
func TestStillSince(t *testing.T) {
	folder := reading.New(reading.Files{}, syncstate.Folder{}, &reading.Root{Rules: plan.Rules{Settle: time.Minute}})
	before := time.Now()
	if still := (Search{Folder: folder}).stillSince(); still.Before(before) {
		t.Errorf("never seen to change, and still since %s", still)
	}
	folder.Snapshot.Changed = before.Add(-time.Hour)
	if still := (Search{Folder: folder}).stillSince(); !still.Equal(before.Add(-59 * time.Minute)) {
		t.Errorf("changed an hour ago, and still since %s", still)
	}
}

// The first photo of its own ends the comparison with a folder of as many bytes: sets of one camera
// without compression all have one size, and their other photos would be read for nothing.
func TestOnePhotoTellsFoldersOfOneSizeApart(t *testing.T) {
	scene := plantest.AScene(3)
	plantest.ReadAgain(&scene, 0, "another photo")
	folder := reading.New(reading.Files{}, syncstate.Folder{}, new(reading.Root))
	folder.Readings = scene.Facts.Readings
	published := plantest.Published(plantest.AScene(3)).Record
	for i := range published.Published.Frames {
		published.Published.Frames[i].ID = "of another folder"
	}
	if is, err := (Search{Folder: folder}).continues(t.Context(), plantest.Judged(scene).Set, published); is || err != nil {
		t.Errorf("%t, %v", is, err)
	}
}

// A folder whose product or form was asked for, and of which no frame was sent, is known by the
// frames of its run, also when more came since.
func TestFolderKnownBeforeItsFramesAreSent(t *testing.T) {
	scene := plantest.AScene(3)
	asked := func(frames int, change func(*syncstate.RunFrame)) syncstate.Record {
		run := plantest.Making("SKU-1")
		for _, f := range scene.Facts.Snapshot.Frames[:frames] {
			run.Frames = append(run.Frames, syncstate.RunFrame{File: plan.FileOf(f)})
		}
		if change != nil {
			change(&run.Frames[frames-1])
		}
		return syncstate.Record{Run: run}
	}
	folder := reading.New(reading.Files{}, syncstate.Folder{}, new(reading.Root))
	for name, test := range map[string]struct {
		record syncstate.Record
		is     bool
	}{
		"its own frames":        {asked(3, nil), true},
		"fewer of them":         {asked(1, nil), true},
		"copies of them":        {asked(3, func(f *syncstate.RunFrame) { f.ID = "another" }), true},
		"one of another name":   {asked(3, func(f *syncstate.RunFrame) { f.Name = "frame_04.jpg" }), true},
		"and a copy":            {asked(3, func(f *syncstate.RunFrame) { f.Name, f.ID = "frame_04.jpg", "another" }), false},
		"one of another size":   {asked(3, func(f *syncstate.RunFrame) { f.Size++ }), false},
		"one of another time":   {asked(3, func(f *syncstate.RunFrame) { f.ModTime = plantest.Noon }), false},
		"none yet":              {asked(0, nil), false},
		"nothing was asked for": {syncstate.Record{}, false},
	} {
		is, err := (Search{Folder: folder}).continues(t.Context(), plantest.Judged(scene).Set, test.record)
		if is != test.is || err != nil {
			t.Errorf("%s: %t, %v", name, is, err)
		}
	}
}
