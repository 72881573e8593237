package daemon

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/syncstate"
)

// TestRetryKeepsWhatOthersWrote: an upload that is given up may have cost the images that the texts stood on.
func TestRetryKeepsWhatOthersWrote(t *testing.T) {
	carry := map[string]map[string]string{"1.jpg": {"fr": "Le leur"}}
	r := syncstate.Record{
		Run:     &syncstate.Run{Started: time.Now(), FinishSent: time.Now(), Carry: carry},
		Trouble: &syncstate.Trouble{Person: true},
	}
	if err := retryRecord(&r, false, false); err != nil {
		t.Fatal(err)
	}
	if r.Run == nil || !r.Run.Started.IsZero() || !cmp.Equal(carry, r.Run.Carry) {
		t.Errorf("after a retry the run is %+v", r.Run)
	}
}

// TestAllAsIsMeansThoseThatWaitForIt: accepting all folders as they are publishes no half set that is still arriving.
func TestAllAsIsMeansThoseThatWaitForIt(t *testing.T) {
	for _, test := range []struct {
		state State
		named bool
		want  int
	}{
		{Attention, false, 20},
		{Attention, true, 20},
		{Collecting, false, 0},
		{Collecting, true, syncstate.AsIsWhenQuiet},
		{Uploading, true, syncstate.AsIsWhenQuiet},
		{Published, false, 0},
		{Published, true, 20},
	} {
		r := syncstate.Record{State: string(test.state), Settled: 20}
		if err := retryRecord(&r, true, test.named); err != nil || r.AsIs != test.want {
			t.Errorf("%s, named %t: as is %d, %v; want %d", test.state, test.named, r.AsIs, err, test.want)
		}
	}
}

// TestRetryEndsTheWaitForTheNextPoll: who asks for a retry wants to know now whether the service has finished.
func TestRetryEndsTheWaitForTheNextPoll(t *testing.T) {
	r := syncstate.Record{Run: &syncstate.Run{FinishSent: noon, FinishAcked: noon, NextPoll: noon.Add(time.Minute)}}
	if err := retryRecord(&r, false, false); err != nil || !r.Run.NextPoll.IsZero() {
		t.Errorf("after a retry the next poll is due at %v, %v", r.Run.NextPoll, err)
	}
}

// TestRetryAnswersOnlyWhatWasAsked: of a folder that waits for something else a retry says nothing about the making of a product.
func TestRetryAnswersOnlyWhatWasAsked(t *testing.T) {
	for name, test := range map[string]struct {
		before  syncstate.Remake
		trouble syncstate.Trouble
		named   bool
		want    syncstate.Remake
	}{
		"the question":             {syncstate.RemakeAsked, syncstate.Trouble{Gone: true}, false, syncstate.RemakeConfirmed},
		"an outage before it":      {syncstate.RemakeAsked, syncstate.Trouble{NextTry: noon}, false, syncstate.RemakeAsked},
		"that folder, by name":     {syncstate.RemakeAsked, syncstate.Trouble{NextTry: noon}, true, syncstate.RemakeAsked},
		"whose another product is": {"", syncstate.Trouble{Former: true}, true, syncstate.RemakeConfirmed},
		"the same, for all":        {"", syncstate.Trouble{Former: true}, false, ""},
	} {
		r := syncstate.Record{Remake: test.before, Trouble: &test.trouble}
		if err := retryRecord(&r, false, test.named); err != nil || r.Remake != test.want {
			t.Errorf("%s: after a retry it is %q, %v; want %q", name, r.Remake, err, test.want)
		}
	}
}

// TestGivenUpRunTakesNoAnswer: a step that was under way when a person gave up the run, or the product, records nothing of what it
// comes to.
func TestGivenUpRunTakesNoAnswer(t *testing.T) {
	for name, held := range map[string]syncstate.Record{
		"the run":     {Run: &syncstate.Run{FinishSent: noon, FinishAcked: noon}, Trouble: &syncstate.Trouble{Person: true}},
		"the product": {Product: syncstate.Product{UUID: "gone"}, Run: &syncstate.Run{}, Trouble: &syncstate.Trouble{Gone: true}},
	} {
		t.Run(name, func(t *testing.T) {
			d := idleDaemon(t)
			key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
			if err := d.store.Update(key, func(r *syncstate.Record) error { *r = held; return nil }); err != nil {
				t.Fatal(err)
			}
			f := d.newFolder(key)
			d.folders[key] = f
			j := d.jobOf(f)
			poll := func() error { return j.update(func(r *syncstate.Record) error { r.Run.Polls++; return nil }) }
			if _, err := j.scene(); err != nil {
				t.Fatal(err)
			}
			if err := poll(); err != nil {
				t.Fatal(err)
			}
			if err := d.Retry(key, false); err != nil {
				t.Fatal(err)
			}
			if err := poll(); !errors.Is(err, errChanged) {
				t.Errorf("the answer of a poll from before is recorded: %v", err)
			}
			if r, err := d.store.Record(key); err != nil || r.Run != nil && r.Run.Polls > 0 {
				t.Errorf("%+v, %v", r.Run, err)
			}
		})
	}
}
