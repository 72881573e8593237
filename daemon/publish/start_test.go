package publish

import (
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
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
		if next := withoutForm(&test.before, nil, 3); next.GivenUp != test.want {
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

// A run that is still to begin keeps the frames of the one in its place, by which the folder is
// known. None of them counts as sent.
func TestOwedRunKeepsTheFrames(t *testing.T) {
	given := plantest.Running(plantest.AScene(2), 2, 2).Record.Run
	owed := OwedRun(given)
	if len(owed.Frames) != 2 || owed.Frames[1].Uploaded || owed.Frames[1].Name != given.Frames[1].Name || owed.Frames[1].Digest == nil {
		t.Errorf("the frames are %+v", owed.Frames)
	}
	if !given.Frames[1].Uploaded {
		t.Error("the given run lost what it sent")
	}
}

// A reupload begins where the images are those of the recorded publication. Where they are of
// another upload, the state file may be an old one, and the folder is compared first. What a run
// began, and what was never published, is uploaded all the same.
func TestReuploadOfWhatIsRecorded(t *testing.T) {
	older := func(s *plan.Scene) { s.Record.Published.Revision-- }
	for name, test := range map[string]struct {
		change  func(*plan.Scene)
		doubted bool
	}{
		"as it is recorded":        {func(*plan.Scene) {}, false},
		"of another upload":        {older, true},
		"of another upload, begun": {func(s *plan.Scene) { older(s); s.Record.Run = &syncstate.Run{Phase: syncstate.Owed} }, false},
		"never published":          {func(s *plan.Scene) { s.Record.Published = nil }, false},
	} {
		forms := 0
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.UpdateProduct {
				forms++
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		s.Facts.Snapshot, s.Facts.Readings = plantest.AScene(1).Facts.Snapshot, plantest.AScene(1).Facts.Readings
		s = plantest.Judged(s)
		s.Facts.Wanted = plan.Product{Title: "SKU-1", SKU: "SKU-1"}
		test.change(&s)
		keep(t, j, s.Record)
		if err := j.parts.starter.startReupload(t.Context(), s, plan.Step{Count: 1}); err != nil {
			t.Fatal(err)
		}
		r, err := j.record.read()
		if begun := forms > 0; err != nil || begun == test.doubted || r.Doubted != test.doubted || (r.Run != nil) != begun {
			t.Errorf("%s: %d forms, the record is %+v, %v", name, forms, r, err)
		} else if begun && (len(r.Run.Frames) != 1 || r.Run.Frames[0].Name != "frame_01.jpg") {
			t.Errorf("%s: the run has the frames %+v", name, r.Run.Frames)
		}
	}
}

// A run that an earlier process began goes on where the product was not uploaded to since. Else the
// form may be somebody else's, and the folder is uploaded again.
func TestRunOfAnEarlierProcess(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	for name, test := range map[string]struct {
		change func(before *syncstate.Before, shown int64)
		goesOn bool
	}{
		"the images and the revision from before": {func(b *syncstate.Before, shown int64) { b.Revision = &shown }, true},
		"the images, and no revision was known":   {func(*syncstate.Before, int64) {}, true},
		"images where there were none":            {func(b *syncstate.Before, _ int64) { b.Print = "" }, false},
		"another revision that is finished":       {func(b *syncstate.Before, shown int64) { b.Revision = new(shown - 1) }, false},
	} {
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		images, err := j.parts.starter.ask.images(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		s.Record.Run = &syncstate.Run{
			Phase: syncstate.Sending, Form: new(syncstate.Form), Before: syncstate.Before{Print: view.Fingerprint(images)},
		}
		test.change(&s.Record.Run.Before, s.Record.Published.Revision)
		keep(t, j, s.Record)
		j.record.unchecked = true
		err = j.parts.starter.confirmRun(t.Context(), s)
		r, failed := j.record.read()
		if failed != nil || r.Run.In(syncstate.Sending) != test.goesOn || j.record.unchecked == test.goesOn || (err == nil) != test.goesOn {
			t.Errorf("%s: the run is %+v, unchecked %t: %v, %v", name, r.Run, j.record.unchecked, err, failed)
		}
	}
}

// Our alt texts that a kept image does not show yet may still arrive after the run, and are not
// those of others then.
func TestLateTextsOutlastARun(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	image, name := s.Record.Published.Frames[0].ImageID, s.Record.Published.Frames[0].Name
	s.Record.Late.AltIntent = map[int64]map[string]string{image: {"en": "A shoe", "de": "Ein Schuh"}}
	s.Record.Late.AltLate = map[int64]map[string]string{image: {"fr": "Une chaussure"}}
	s.Record.Run = &syncstate.Run{
		Phase: syncstate.Collecting, Images: 1, Seen: &syncstate.Progress{Revision: s.Record.Published.Revision},
		Frames: []syncstate.RunFrame{{File: syncstate.File{Name: name}, Uploaded: true}},
	}
	keep(t, j, s.Record)
	if _, err := client.SetAltTexts(t.Context(), image, map[string]string{"de": "Ein Schuh"}); err != nil {
		t.Fatal(err)
	}
	if err := j.parts.collector.collectImages(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"en": "A shoe", "fr": "Une chaussure"}
	if r, err := j.record.read(); err != nil || r.Run != nil || !maps.Equal(r.Late.AltLate[image], want) {
		t.Errorf("late are %v, %v", r.Late.AltLate, err)
	}
}

// The list that a run collects its images from is as old as the request for it, however long the
// requests that follow take.
func TestListIsAsOldAsItsRequest(t *testing.T) {
	var waited atomic.Int64
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.Embed {
			waited.Store(int64(time.Hour))
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	asked := time.Now()
	j.gate.service.Boot = func() time.Time { return asked.Add(time.Duration(waited.Load())) }
	s.Record.Run = &syncstate.Run{
		Phase: syncstate.Collecting, Images: 1, Seen: &syncstate.Progress{Revision: s.Record.Published.Revision},
		Frames: []syncstate.RunFrame{{File: syncstate.File{Name: s.Record.Published.Frames[0].Name}, Uploaded: true}},
	}
	keep(t, j, s.Record)
	if err := j.parts.collector.collectImages(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if waited.Load() == 0 || !j.parts.texts.listed.Equal(asked) {
		t.Errorf("the list asked for at %s counts as of %s", asked, j.parts.texts.listed)
	}
}

// The revision from before a run is a finished one. One that is not finished may be that of the run
// itself, whose announcement had no answer: then the files on the service decide.
func TestRevisionBeforeARun(t *testing.T) {
	published := &syncstate.Published{Revision: 4}
	begun := &syncstate.Run{Phase: syncstate.FormWanted, Before: syncstate.Before{Revision: new(int64(3))}}
	for name, test := range map[string]struct {
		now       apiclient.Status
		run       *syncstate.Run
		published *syncstate.Published
		want      *int64
		doubted   bool
	}{
		"finished":                         {apiclient.Status{SourceRevision: 5, ImageStatus: apiclient.StatusFinished}, begun, published, new(int64(5)), false},
		"announced, and nothing more":      {apiclient.Status{SourceRevision: 4, ImageStatus: "uploading"}, nil, published, new(int64(4)), false},
		"announced, and raised":            {apiclient.Status{SourceRevision: 5, ImageStatus: "uploading"}, nil, published, new(int64(4)), true},
		"announced by this very run":       {apiclient.Status{SourceRevision: 4, ImageStatus: "uploading"}, begun, published, new(int64(3)), true},
		"nothing is known from before":     {apiclient.Status{SourceRevision: 5, ImageStatus: "uploading"}, nil, nil, nil, true},
		"a run that knows nothing either":  {apiclient.Status{ImageStatus: "uploading"}, &syncstate.Run{}, nil, nil, true},
		"finished, and nothing was before": {apiclient.Status{ImageStatus: apiclient.StatusFinished}, nil, nil, new(int64(0)), false},
	} {
		before, doubt := revisionBefore(plan.Scene{Record: syncstate.Record{Run: test.run, Published: test.published}}, test.now)
		if diff := cmp.Diff(test.want, before); diff != "" || doubt != test.doubted {
			t.Errorf("%s: in doubt: %t\n%s", name, doubt, diff)
		}
	}
	if next := withoutForm(&syncstate.Run{Doubt: true}, nil, 3); !next.Doubt {
		t.Error("a run that asks for another form is no more in doubt")
	}
}

// TestFieldsAfterALostAnswer: the service has the new fields when the answer to their change is
// lost, alone or with an upload. Those that a person puts back are sent once more. A field that the
// folder never had is not emptied: others may have filled it.
func TestFieldsAfterALostAnswer(t *testing.T) {
	for name, send := range map[string]func(*Job, plan.Scene) error{
		"alone": func(j *Job, s plan.Scene) error { return j.parts.upkeep.updateProduct(t.Context(), s) },
		"with an upload": func(j *Job, s plan.Scene) error {
			return j.parts.starter.startReupload(t.Context(), s, plan.Step{Count: 1})
		},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			return sandbox.Fault{DropAfter: c.Op == sandbox.UpdateProduct}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		s.Facts.Snapshot, s.Facts.Readings = plantest.AScene(1).Facts.Snapshot, plantest.AScene(1).Facts.Readings
		s.Record.Product.Title, s.Facts.Wanted = "before", plan.Product{Title: "after", Manufacturer: "Maker"}
		keep(t, j, s.Record)
		if err := send(j, s); err == nil {
			t.Errorf("%s: the answer is not lost", name)
		}
		var err error
		if s.Record, err = j.record.read(); err != nil {
			t.Fatal(err)
		}
		s.Facts.Wanted.Title, s.Facts.Wanted.Manufacturer = "before", ""
		again := changedFields(s)
		if again.Title == nil || *again.Title != "before" || again.Manufacturer == nil || *again.Manufacturer != "" || again.Year != nil {
			t.Errorf("%s: what is put back is sent as %+v", name, again)
		}
	}
}

// TestUploadsOverAndOver: a folder whose view others upload to each time is uploaded again a few
// times, with pauses, and then calls a person.
func TestUploadsOverAndOver(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	for try := 1; try <= mostTries; try++ {
		err := j.parts.starter.startOver(s.Record.Run, "others uploaded")
		asks := outcome.Needs(err, status.Overtaken)
		if o := outcome.Of(err); asks != (try == mostTries) || o == nil || !asks && !o.Until.After(time.Now()) {
			t.Errorf("try %d: %v", try, err)
		}
		if s.Record, err = j.record.read(); err != nil || !s.Record.Run.In(syncstate.Owed) {
			t.Errorf("the run is %+v, %v", s.Record.Run, err)
		}
	}
}
