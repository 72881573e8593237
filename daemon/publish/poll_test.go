package publish

import (
	"errors"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
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

// TestServiceIsAskedSeldomForAPerson: as long as a person is waited for, an upload that the service does
// not get on with costs a request each ten minutes, however often a poll would come.
func TestServiceIsAskedSeldomForAPerson(t *testing.T) {
	j, s := polling(t)
	j.parts.poller.giveUp = time.Minute
	s.Record.Run.Looks.N = hosting.Rungs
	keep(t, j, s.Record)
	for kind, err := range map[status.Kind]error{
		status.StuckProcessing: j.parts.poller.pollStatus(t.Context(), s),
		status.WrongList:       j.parts.collector.lookAgain(s, "a photo is missing", false),
	} {
		if !outcome.Needs(err, kind) || time.Until(outcome.Of(err).Until).Round(time.Minute) != personPause {
			t.Errorf("%s: %+v", kind, outcome.Of(err))
		}
	}
}

// TestProgressOfARun: a list as before the run is looked at again until the service was seen to go
// on since the finish. Doubt lasts until the files are compared.
func TestProgressOfARun(t *testing.T) {
	before := syncstate.Progress{Revision: 4, Status: "finished"}
	shown := syncstate.Run{Seen: &before, Before: syncstate.Before{Print: "images"}}
	for name, test := range map[string]struct {
		run             syncstate.Run
		polls           []syncstate.Progress
		doubt           bool // at the first poll
		wentOn, doubted bool
	}{
		"nothing has moved":  {shown, []syncstate.Progress{before, before}, false, false, false},
		"another status":     {shown, []syncstate.Progress{{Revision: 4, Status: "processing"}}, false, true, false},
		"another revision":   {shown, []syncstate.Progress{{Revision: 5, Status: "finished"}}, false, true, false},
		"it moved, and back": {shown, []syncstate.Progress{{Revision: 4}, before}, false, true, false},
		"another's upload":   {shown, []syncstate.Progress{before, before}, true, false, true},
		"doubted before":     {syncstate.Run{Doubt: true}, []syncstate.Progress{before}, false, true, true},
	} {
		for i, seen := range test.polls {
			noteProgress(&test.run, seen, test.doubt && i == 0)
		}
		if got := test.run; (got.Before.Print == "") != test.wentOn || got.Doubt != test.doubted || *got.Seen != test.polls[len(test.polls)-1] {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// A poll that cannot be recorded leaves a run of an earlier process unchecked.
func TestPollThatIsNotRecorded(t *testing.T) {
	j, s := polling(t)
	j.record.unchecked = true
	j.record.abandoned.Add(1)
	if err := j.parts.poller.pollStatus(t.Context(), s); !errors.Is(err, outcome.ErrChanged) || !j.record.unchecked {
		t.Errorf("unchecked: %t, %v", j.record.unchecked, err)
	}
}
