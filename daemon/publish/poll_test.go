package publish

import (
	"errors"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// polling has a run whose revision has not begun to show since an hour ago.
func polling(t *testing.T) (*Job, plan.Scene) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Record.Run = &syncstate.Run{Before: syncstate.Before{Revision: &s.Record.Published.Revision}, FinishSent: time.Now().Add(-time.Hour)}
	if err := j.record.change(func(r *syncstate.Record) { r.Run = s.Record.Run }); err != nil {
		t.Fatal(err)
	}
	return j, s
}

// After each poll of a run the next one has its time.
func TestNextPollHasItsTime(t *testing.T) {
	j, s := polling(t)
	if err := j.parts.poller.pollStatus(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	record, err := j.record.read()
	if err != nil || record.Run == nil || time.Until(record.Run.Looks.Next) <= 0 ||
		record.Run.FinishSent.IsZero() {
		t.Errorf("the run is %+v, %v", record.Run, err)
	}
}

// A revision that the process which sent the finish never saw may be somebody else's.
func TestRevisionOfAnEarlierProcessIsInDoubt(t *testing.T) {
	for _, known := range []bool{false, true} {
		j, s := polling(t)
		if known {
			s.Record.Run.Seen = &syncstate.Progress{Revision: s.Record.Published.Revision}
			keep(t, j, s.Record)
		}
		j.record.unchecked = true
		if err := j.parts.poller.pollStatus(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if r, err := j.record.read(); err != nil || r.Run.Doubt == known {
			t.Errorf("seen before: %t, the run is %+v, %v", known, r.Run, err)
		}
	}
}

// A folder waits for each upload that its state file does not know, however long it waited for an
// earlier one.
func TestEachForeignUploadIsWaitedFor(t *testing.T) {
	long := time.Now().Add(-foreignPatience)
	cm := comparer{foreign: &sighting{foreignUpload{"product", 3}, long}}
	waits := func(product string, revision int64) bool {
		_, waits := cm.waitsForForeign(foreignUpload{product, revision})
		return waits
	}
	if waits("product", 3) {
		t.Error("one upload is waited for forever")
	}
	if !waits("product", 4) {
		t.Error("the next revision is not waited for")
	}
	cm.foreign.since = long
	if !waits("another", 4) {
		t.Error("the upload to another product is not waited for")
	}
}

// A person is asked about processing that takes too long, but not on behalf of a run that has
// changed meanwhile.
func TestStuckProcessing(t *testing.T) {
	j, s := polling(t)
	j.parts.poller.giveUp = time.Minute
	if err := j.parts.poller.pollStatus(t.Context(), s); !outcome.Needs(err, status.StuckProcessing) {
		t.Errorf("told %v", err)
	}
	j.record.abandoned.Add(1)
	if err := j.parts.poller.pollStatus(t.Context(), s); !errors.Is(err, outcome.ErrChanged) {
		t.Errorf("a run that changed: %v", err)
	}
}
