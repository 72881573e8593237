package publish

import (
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/sandbox/section"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A form takes files from exactly its smallest to exactly its largest size.
func TestSizesThatAFormAllows(t *testing.T) {
	form, open := &syncstate.Form{MinSize: 10, MaxSize: 20}, &syncstate.Form{MinSize: 10}
	for _, test := range []struct {
		form *syncstate.Form
		size int64
		fits bool
	}{{form, 9, false}, {form, 10, true}, {form, 20, true}, {form, 21, false}, {open, 21, true}} {
		err := fits(test.form, []watcher.File{{Size: 15}, {Size: test.size}})
		if (err == nil) != test.fits || err != nil && !outcome.Needs(err, status.WrongSize) {
			t.Errorf("%d bytes into %+v: %v", test.size, test.form, err)
		}
	}
}

// TestFormThatExpiresWhileOthersAreSent: a folder that waits its turn on a slow line needs no person,
// however many of its forms expire. Where nothing gets through, it does.
func TestFormThatExpiresWhileOthersAreSent(t *testing.T) {
	for _, another := range []bool{false, true} {
		j, s := polling(t)
		run := &syncstate.Run{}
		var ended error
		for range mostTries {
			run.Started = time.Now().Add(-time.Hour)
			s.Record.Run = run
			if another {
				if err := j.runner.finishArrived(); err != nil {
					t.Fatal(err)
				}
			}
			ended = j.uploader.endForm(t.Context(), s)
			record, err := j.Records.Record(j.Key)
			if err != nil {
				t.Fatal(err)
			}
			run = record.Run
		}
		if person := outcome.Needs(ended, status.FormShort); person == another || another && ended != nil {
			t.Errorf("others are sent %v, a person is asked %v: %v", another, person, ended)
		}
	}
}

// TestRefusedFormThatWasFresh: an upload host that refuses a form without a word of its age says
// something of the next one only if the form was fresh.
func TestRefusedFormThatWasFresh(t *testing.T) {
	refusal := &apiclient.Error{Op: apiclient.OpUpload, Status: 403}
	for age, want := range map[time.Duration]bool{0: true, hosting.FormFresh: false} {
		j, s := polling(t)
		j.Service.AccessKeys = new(hosting.AccessKeys)
		s.Record.Run.Form = &syncstate.Form{}
		s.Record.Run.Setbacks.RefusedForms, s.Record.Run.Started = 1, time.Now().Add(-age)
		err := j.uploader.replaceForm(s, refusal)
		if person := outcome.Needs(err, status.FormRefused); person != want || !want && err != nil {
			t.Errorf("of a form %s old a person is told %v: %v", age, person, err)
		}
	}
}

// TestStatusThatWasAskedForAMomentAgo: whether a product of no folder is known is not asked right
// after another request, and not taken for granted.
func TestStatusThatWasAskedForAMomentAgo(t *testing.T) {
	asked := 0
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == section.ReadStatus {
			asked++
		}
		return sandbox.Fault{}
	})
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	j.Poll.First = time.Minute
	for ago, want := range map[time.Duration]bool{0: false, 2 * time.Minute: true} {
		asked, j.Started = 0, time.Time{}
		j.Service.Asked.Note(s.Record.Product.UUID, time.Now().Add(-ago))
		known := j.uploader.ask.isKnown(t.Context(), s.Record.Product.UUID)
		if known != want || (asked > 0) != want {
			t.Errorf("%s after another request: known %v, asked %d times", ago, known, asked)
		}
	}
}
