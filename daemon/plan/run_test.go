package plan_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestWhatARunSends: a run sends each whole frame once, and needs another form where the service
// must forget one.
func TestWhatARunSends(t *testing.T) {
	sending := func(sent int, changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.Running(plantest.AScene(3), sent, 3), changes...)
	}
	expires := func(in time.Duration) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Record.Run.Form.Expires = plantest.Noon.Add(in) }
	}
	fast := func(s *plan.Scene) { s.Clock = time.Second }
	stored := func(s *plan.Scene) { s.Record.Run.Frames[0].Stored = "001_frame_01.jpg" }
	unread := func(s *plan.Scene) { clear(s.Facts.Readings) }
	captured := func(s *plan.Scene) { s.Facts.Rules.Order = "captured" }
	asked := func(s *plan.Scene) {
		s.Record.Run = plantest.Making("SKU-1")
		s.Record.Project.UUID, s.Record.Run.Frames = "project", plantest.Running(*s, 3, 4).Record.Run.Frames
	}
	gaveUp := func(s *plan.Scene) { s.Record.Run.GivenUp = true }
	named := func(i int, name string) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Facts.Snapshot.Frames[i].Name = name; plantest.MarkRead(s, i) }
	}
	const finishes = "finish: uploading, all sent, 01, 02, 03"
	const reuploads = "reupload: uploading, reuploading, 3 images"
	const gathers = "wait: collecting, awaits rest, 3 of 4, until 30s, quiet at 30s, due 30s"
	rows{
		"the rest":                       {sending(1), "upload: uploading, sending, 1 of 3, 02, 03"},
		"nothing":                        {sending(3), finishes},
		"what did not end":               {sending(3, unsentFrom(1)), "upload: uploading, sending, 1 of 3, 02, 03"},
		"before the form ends":           {sending(1, expires(time.Minute)), "upload: uploading, sending, 1 of 3, 02, 03"},
		"by the clock of the service":    {sending(1, expires(time.Minute), fast), "end form: uploading, form too old"},
		"with a form too old":            {sending(1, expires(time.Minute-1)), "end form: uploading, form too old"},
		"all of a counted set, at once":  {sending(3, turn(3), changed(0)), finishes},
		"a set without its marker":       {sending(3, turn(3), awaitsMarker), "idle: collecting, awaits marker, 3 of 3"},
		"one that changed, and moves":    {sending(3, turn(3), changed(0), reshot(2), moves(2)), "wait: collecting, unsettled, 1 parts"},
		"with an old form for nothing":   {sending(3, expires(0)), finishes},
		"under another name":             {sending(3, stored), reuploads},
		"one that changed":               {sending(3, reshot(0)), reuploads},
		"one that is gone":               {sending(3, turn(2), changed(0), remains(2)), "reupload: uploading, reuploading, 2 images"},
		"a set that still grows":         {sending(0, turn(4), changed(0)), "upload: uploading, sending, 0 of 4, 01, 02, 03"},
		"beside one that moves":          {sending(0, turn(4), changed(0), moves(1)), "upload: uploading, sending, 0 of 4, 01, 03"},
		"all but one under way":          {sending(0, turn(4), changed(0), flies(1)), "upload: uploading, sending, 1 of 4, 01, 03"},
		"one begun, and under way":       {sending(3, turn(4), changed(0), unsentFrom(2), flies(2)), gathers},
		"no more after a lost form":      {sending(0, turn(4), changed(0), gaveUp), gathers},
		"all after a lost form":          {sending(0, turn(3), changed(0), gaveUp), "upload: uploading, sending, 0 of 3, 01, 02, 03"},
		"no more once one changed":       {sending(2, turn(4), changed(0), reshot(0)), gathers},
		"not with one of another shoot":  {sending(3, turn(3), changed(0), reshot(0)), "wait: collecting, awaits quiet, 3 of 3, for 30s, until 30s, quiet at 30s, due 30s"},
		"with one of another, and quiet": {sending(3, turn(3), reshot(0)), reuploads},
		"all of another shoot":           {sending(3, turn(3), changed(0), reshot(0, 1, 2)), reuploads},
		"one changed before the last":    {sending(2, turn(3), changed(0), reshot(0), foundLast(0)), reuploads},
		"all while it is asked for":      {fresh(3, turn(4), changed(0), asked, reshot(0)), "create: uploading, creating, 4 images"},
		"no more once one is gone":       {sending(3, turn(4), changed(0), remains(2)), "wait: collecting, awaits rest, 2 of 4, until 30s, quiet at 30s, due 30s"},
		"no more without its form":       {sending(2, turn(4), changed(0), func(s *plan.Scene) { s.Record.Run.DropForm() }), gathers},
		"a frame too many":               {sending(0, turn(2), changed(0)), "idle: attention, too many, 3 of 2"},
		"a first frame of two":           {fresh(1, turn(2), changed(0)), "find project: uploading, finding project"},
		"a product that was found":       {sending(0, turn(4), changed(0), func(s *plan.Scene) { s.Record.Run = nil }), "reupload: uploading, reuploading, 4 images"},
		"one that needs a position":      {sending(2, turn(4), changed(0), named(1, "10.jpg"), named(2, "9.jpg"), natural), gathers},
		"names that need positions":      {fresh(0, adds("8.jpg", "9.jpg", "10.jpg"), natural, turn(4), changed(0)), gathers},

		"one that changed since it was read": {sending(0, grows(0)), "wait: collecting, checking, 1 of 0, reads 01"},
		"frames sent without their time":     {sending(3, turn(3), unread, captured), "wait: collecting, checking, 3 of 0, reads 01, reads 02, reads 03"},
		"frames sent with their time": {sending(3, turn(3), unread, captured, func(s *plan.Scene) {
			for i := range s.Record.Run.Frames {
				s.Record.Run.Frames[i].Captured = plantest.Noon.Add(time.Duration(i))
			}
		}), finishes},
	}.check(t)
}

// TestWhatIsComparedWithTheView: a view is published again for another content, and for nothing
// else.
func TestWhatIsComparedWithTheView(t *testing.T) {
	touched := func(i int) func(*plan.Scene) {
		return func(s *plan.Scene) { plantest.Touch(s, i, s.Facts.Snapshot.Frames[i].Name) }
	}
	unsure := func(i int) func(*plan.Scene) {
		return func(s *plan.Scene) { plantest.Touch(s, i, ""); plantest.MarkRead(s, i) }
	}
	renamed := func(s *plan.Scene) { s.Record.Published.Frames[0].Stored = "001_frame_01.jpg" }
	empty := func(s *plan.Scene) { s.Record.Published.Frames[0].Size = 0 }
	exchanged := func(s *plan.Scene) { // two of one size and time, whose numbers alone tell that
		f := s.Facts.Snapshot.Frames
		f[0].ID, f[1].ID = f[1].ID, f[0].ID
		plantest.MarkRead(s, 0)
		plantest.MarkRead(s, 1)
	}
	const reuploads, seenAgain = "reupload: uploading, reuploading, 3 images", "wait: published"
	rows{
		"touched":                         {view(touched(1)), "note: published"},
		"touched, and one gone":           {view(touched(1), remains(2)), "reupload: uploading, reuploading, 2 images"},
		"touched, and one perhaps":        {view(touched(1), unsure(0)), "wait: collecting, comparing, 1 of 0, reads 01, digest"},
		"perhaps, and beside a temporary": {view(unsure(0), busy("frame_02.jpg", 0)), "wait: collecting, unsettled, 1 parts, until 10m0s, due 10m0s"},
		"perhaps, and one shot again":     {view(unsure(0), reshot(1)), reuploads},
		"counted, and perhaps all new":    {view(turn(3), changed(0), unsure(0), unsure(1), reshot(2)), "wait: collecting, comparing, 1 of 0, reads 01, digest"},
		"the same, and quiet":             {view(turn(3), unsure(0), unsure(1), reshot(2)), reuploads},
		"counted, and one only touched":   {view(turn(3), changed(0), touched(0), unsure(1), reshot(2)), "wait: collecting, awaits quiet, 3 of 3, for 30s, until 30s, quiet at 30s, due 30s"},
		"one new":                         {view(adds("frame_04.jpg")), "reupload: uploading, reuploading, 4 images"},
		"one in the place of another":     {view(remains(2), adds("frame_04.jpg")), reuploads},
		"one under another name":          {view(renamed), reuploads},
		"two that exchanged their names":  {view(exchanged), "wait: collecting, comparing, 2 of 0, reads 01, reads 02, digest"},
		"one of no size":                  {view(empty, touched(0)), reuploads},
		"one seen again":                  {view(moves(0)), seenAgain},
		"all seen again":                  {view(notSeenStill), seenAgain},
		"one seen again, one broken":      {view(moves(0), broken(1, 0)), "wait: collecting, unsettled, 2 parts, until 1m0s, due 1m0s"},
		"seen again in a run":             {view(moves(0), func(s *plan.Scene) { s.Record.Run = new(syncstate.Run) }), "wait: collecting, unsettled, 1 parts, quiet at -59m30s"},
	}.check(t)
}

// Whatever the folder looks like, the set is finished only when every frame in it is settled,
// whole, sent as it is, and announced in the right number.
func TestFinishIsNeverPlannedForAnythingButTheSetThatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plantest.AScene(rapid.IntRange(0, 6).Draw(t, "frames"))
		sent := rapid.IntRange(0, len(s.Facts.Snapshot.Frames)).Draw(t, "sent")
		s = plantest.Running(s, sent, rapid.IntRange(0, 7).Draw(t, "announced"))
		s.Facts.Rules.Frames = rapid.IntRange(0, 7).Draw(t, "known")
		s.Facts.Snapshot.Changed = plantest.Noon.Add(-rapid.SampledFrom([]time.Duration{0, quiet, time.Hour}).Draw(t, "still for"))
		for i := range s.Facts.Snapshot.Frames {
			switch rapid.SampledFrom([]string{"", "", "", "moves", "breaks", "changes", "did not arrive"}).Draw(t, "frame") {
			case "did not arrive":
				if i < sent {
					s.Record.Run.Frames[i].Uploaded = false
				}
			case "moves":
				s.Facts.Snapshot.Frames[i].Still = false
			case "breaks":
				plantest.Break(&s, i, plantest.Noon)
			case "changes":
				plantest.Touch(&s, i, "new")
			}
		}
		if rapid.Bool().Draw(t, "a busy file") {
			age := rapid.SampledFrom([]time.Duration{0, time.Hour}).Draw(t, "busy for")
			stands := rapid.SampledFrom([]string{"", "frame_01.jpg"}).Draw(t, "it stands for")
			s.Facts.Snapshot.Busy = []watcher.Busy{{File: watcher.File{Name: "x.part", Since: plantest.Noon.Add(-age)}, Frame: stands}}
		}
		if plan.Next(plantest.Judged(s)).Action != plan.Finish {
			return
		}
		uploaded := map[string]syncstate.RunFrame{}
		for _, f := range s.Record.Run.Frames {
			uploaded[f.Name] = f
		}
		for _, f := range s.Facts.Snapshot.Frames {
			if sent := uploaded[f.Name]; !sent.Uploaded || !f.Still || !sent.Same(plan.FileOf(f)) {
				t.Fatalf("finish is planned although %s was not sent as it is", f.Name)
			}
		}
		if slices.ContainsFunc(s.Facts.Snapshot.Busy, func(b watcher.Busy) bool { return b.Frame != "" && b.Since.Equal(plantest.Noon) }) {
			t.Fatal("finish is planned while a program writes a frame")
		}
		if len(uploaded) != len(s.Facts.Snapshot.Frames) || s.Record.Run.Images != len(uploaded) {
			t.Fatalf("finish is planned for %v although %d images were announced", slices.Sorted(maps.Keys(uploaded)), s.Record.Run.Images)
		}
	})
}
