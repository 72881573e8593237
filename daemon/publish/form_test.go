package publish

import (
	"testing"
	"time"

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
