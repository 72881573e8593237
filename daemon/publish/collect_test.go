package publish

import (
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// collecting has a run whose revision is finished, as the sandbox shows it, and counts the requests
// for its source files.
func collecting(t *testing.T, downloads *int) (*Job, plan.Scene) {
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.DownloadSources {
			*downloads++
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Record.Run = &syncstate.Run{
		Phase: syncstate.Collecting, Images: 1, Seen: &syncstate.Progress{Revision: s.Record.Published.Revision},
		Frames: []syncstate.RunFrame{{File: syncstate.File{Name: "0000.jpg", Size: 5}, Digest: plantest.DigestOf("photo"), Uploaded: true}},
	}
	return j, s
}

// A list of images as before the run is read again before the source files are compared: they may
// be ahead of the images. A list that contradicts the manifest is read as often before a person is
// called, unless another upload may have finished: then the files decide at once.
func TestListThatIsNotTheRuns(t *testing.T) {
	looked := hosting.Rungs
	for name, test := range map[string]struct {
		old, tooFew, doubt bool
		looks              int
		want               syncstate.Phase // "" = published, or to be uploaded again
		compared, asked    bool
		startsOver         bool
	}{
		"its list":                              {want: ""},
		"as before the run":                     {old: true, looks: looked - 1, want: syncstate.Processing},
		"as before the run, after the looks":    {old: true, looks: looked, want: syncstate.Collecting, compared: true},
		"as before the run, in doubt":           {old: true, doubt: true, want: syncstate.Processing},
		"in doubt":                              {doubt: true, want: syncstate.Collecting, compared: true},
		"too few images, in doubt":              {tooFew: true, doubt: true, compared: true, startsOver: true},
		"too few images":                        {tooFew: true, want: syncstate.Processing},
		"too few images, after the looks":       {tooFew: true, looks: looked, want: syncstate.Processing, asked: true},
		"too few images, as before the run too": {tooFew: true, old: true, looks: looked, want: syncstate.Processing, asked: true},
	} {
		downloads := 0
		j, s := collecting(t, &downloads)
		run := s.Record.Run
		run.Doubt, run.Looks.N = test.doubt, test.looks
		if test.tooFew {
			run.Frames = append(run.Frames, syncstate.RunFrame{})
		}
		if test.old {
			images, err := j.gate.service.Client.Images(t.Context(), s.Record.Product.UUID)
			if err != nil {
				t.Fatal(err)
			}
			run.Before.Print = view.Fingerprint(images)
		}
		keep(t, j, s.Record)
		err := j.parts.collector.collectImages(t.Context(), s)
		if outcome.Needs(err, status.WrongList) != test.asked || (err != nil) != (test.asked || test.startsOver) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := j.record.records.Store.Record(j.record.key)
		if err != nil || (r.Run != nil) != (test.want != "" || test.startsOver) || r.Run != nil && r.Run.Phase != test.want || (downloads > 0) != test.compared {
			t.Errorf("%s: compared %d times, the run is %+v, %v", name, downloads, r.Run, err)
			continue
		}
		if test.want == syncstate.Collecting && (r.Run.Doubt || r.Run.Before.Print != "") {
			t.Errorf("%s: its files are those of the run, and it is still in doubt: %+v", name, r.Run)
		}
		if wait := test.want == syncstate.Processing; wait && (r.Run.Looks.N != test.looks+1 || !r.Run.Looks.Wait(time.Now(), time.Minute)) {
			t.Errorf("%s: the next look is %+v", name, r.Run.Looks)
		}
	}
}

// In a fleet a publication ends the rest before it: a station that still sees the folder as it was then
// must not take that for what is published.
func TestPublicationEndsTheRest(t *testing.T) {
	for _, inFleet := range []bool{false, true} {
		j, s := collecting(t, new(int))
		s.Facts.Rules.Fleet, s.Record.Idle = inFleet, syncstate.Idle{Listing: "before"}
		keep(t, j, s.Record)
		if err := j.parts.collector.collectImages(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		r, err := j.record.read()
		if err != nil || r.Run != nil || (r.Idle.Listing == "") != inFleet {
			t.Errorf("in a fleet %t: %+v, %v", inFleet, r, err)
		}
	}
}

// What an earlier process began is in doubt until a poll of it is recorded: the upload that is seen
// to go on after a finish without an answer may be somebody else's.
func TestFinishOfAnEarlierProcessIsInDoubt(t *testing.T) {
	for _, unchecked := range []bool{false, true} {
		downloads := 0
		j, s := collecting(t, &downloads)
		s.Record.Run.Phase, s.Record.Run.Seen = syncstate.Finishing, &syncstate.Progress{Revision: s.Record.Published.Revision, Status: "uploading"}
		s.Record.Run.Looks.N = 1
		keep(t, j, s.Record)
		j.record.unchecked = unchecked
		if err := j.parts.finisher.confirmFinish(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		r, err := j.record.records.Store.Record(j.record.key)
		if err != nil || r.Run.Phase != syncstate.Processing || r.Run.Doubt != unchecked || r.Run.Looks.N != 0 {
			t.Errorf("of an earlier process: %t, the run is %+v, %v", unchecked, r.Run, err)
		}
	}
}
