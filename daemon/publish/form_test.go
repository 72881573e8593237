package publish

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/config"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/schedule"
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

// Sizes stand in a sentence as file managers show them, and to the byte where they would look the
// same.
func TestSizesInWords(t *testing.T) {
	for size, want := range map[int64]string{
		3_200_000_000: "1.jpg has 3.2 GB, and the service takes at most 1.0 GB; ",
		1_000_000_001: "1.jpg has 1000000001 bytes, and the service takes at most 1000000000 bytes; ",
		2:             "1.jpg has 2 B, and the service takes at least 10 B; ",
	} {
		err := fits(&syncstate.Form{MinSize: 10, MaxSize: 1e9}, []watcher.File{{Name: "1.jpg", Size: size}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("of %d bytes it says %v, want %s…", size, err, want)
		}
	}
}

// A folder that waits its turn on a slow line needs no person, however many of its forms expire.
// Where each form has expired as soon as it comes, a person is asked at the third. So is one where
// the host had no room under the first form, and nothing was sent under the others.
func TestExpiredForms(t *testing.T) {
	for name, test := range map[string]struct {
		age    time.Duration
		noRoom bool
		person bool
	}{
		"it waits its turn":    {time.Hour, false, false},
		"forms come expired":   {0, false, true},
		"the host had no room": {time.Hour, true, true},
	} {
		j, s := polling(t)
		var ended error
		for form := range mostTries {
			s.Record.Run.Started, s.Record.Run.Form = time.Now().Add(-test.age), new(syncstate.Form)
			keep(t, j, s.Record)
			if test.noRoom && form == 0 {
				if err := j.uploading.forms.noteNoRoom(s); err != nil {
					t.Fatal(err)
				}
				s.Record = kept(t, j)
			}
			ended = j.uploading.forms.endForm(t.Context(), s)
			s.Record = kept(t, j)
		}
		if person := outcome.Needs(ended, status.FormShort); person != test.person || !test.person && ended != nil {
			t.Errorf("%s: a person is asked %v: %v", name, person, ended)
		}
	}
}

// A form was too short for its set where the folder stood still and sent for half of its life. So
// the uploads of other folders do not count, and neither does a folder that is still being shot.
func TestFormThatHadTheLine(t *testing.T) {
	key := syncstate.Folder{Path: "Summer/SKU-1"}
	for name, test := range map[string]struct {
		waits, sends time.Duration
		changes      time.Duration // after the form came; negative = before
		want         bool
	}{
		"it sent all the time":       {0, time.Hour, -time.Minute, true},
		"it waited for its turn":     {40 * time.Minute, 20 * time.Minute, -time.Minute, false},
		"it waited a little":         {20 * time.Minute, 40 * time.Minute, -time.Minute, true},
		"it changed while it sent":   {0, time.Hour, time.Minute, false},
		"the host did not answer it": {time.Hour, 0, -time.Minute, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			slots := schedule.NewSlots(config.Upload{Parallel: 1}, nil)
			j := NewJob(&Publisher{Records: NewRecords(nil), Slots: slots}, key, nil)
			came := time.Now()
			j.Folder.Snapshot.Changed = came.Add(test.changes)
			slots.ForgetHeld(key)
			time.Sleep(test.waits)
			if test.sends > 0 {
				if err := slots.Enter(t.Context(), key); err != nil {
					t.Fatal(err)
				}
				time.Sleep(test.sends)
				slots.Leave(key, false)
			}
			if got := j.uploading.forms.hadTheLine(came, time.Since(came)); got != test.want {
				t.Errorf("%s: %v", name, got)
			}
		})
	}
}

// TestRefusedForm: the host need not say that an old form has expired, so that the folder goes on
// with the next form at once. After a fresh one it pauses. After the second form a person is asked,
// however long a slow line took to hear of the refusal.
func TestRefusedForm(t *testing.T) {
	expires := time.Now().Add(time.Hour)
	for name, test := range map[string]struct {
		before  int
		age     time.Duration
		expires time.Time
		want    func(error) bool
	}{
		"fresh":                          {0, 0, time.Time{}, func(err error) bool { return outcome.Is(err, outcome.Waits) }},
		"old":                            {0, hosting.FormFresh, expires, func(err error) bool { return err == nil }},
		"the next one too":               {1, 0, time.Time{}, func(err error) bool { return outcome.Needs(err, status.FormRefused) }},
		"the next one too, late":         {1, hosting.FormFresh, expires, func(err error) bool { return outcome.Needs(err, status.FormRefused) }},
		"old, and may have been expired": {1, hosting.FormFresh, time.Time{}, func(err error) bool { return err == nil }},
	} {
		j, s := polling(t)
		j.gate.service.AccessKeys = new(hosting.AccessKeys)
		s.Record.Run.Form = &syncstate.Form{Expires: test.expires}
		s.Record.Run.Setbacks.RefusedForms, s.Record.Run.Started = test.before, time.Now().Add(-test.age)
		keep(t, j, s.Record)
		if err := j.uploading.forms.replaceForm(s, &apiclient.Error{Op: apiclient.OpUpload, Status: 403}); !test.want(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where a person was asked, a change of the folder resets the counts of forms. A failure that
// passes by itself does not.
func TestChangeOfTheFolderResetsItsForms(t *testing.T) {
	for kind, want := range map[syncstate.TroubleKind]int{syncstate.NeedsPerson: 0, syncstate.Retried: 3} {
		j, s := polling(t)
		s.Record.Run.Setbacks = syncstate.Setbacks{ExpiredForms: 1, RefusedForms: 2, Overtaken: 1}
		s.Record.Trouble = &syncstate.Trouble{Kind: kind, Cause: status.Because(status.FrameRefused)}
		keep(t, j, s.Record)
		if last := j.conclusions.troubles.end(s); last != nil {
			t.Fatalf("%s: %+v", kind, last)
		}
		record, err := j.record.read()
		if err != nil || record.Trouble != nil || record.Run.Setbacks.ExpiredForms+record.Run.Setbacks.RefusedForms != want || record.Run.Setbacks.Overtaken != 1 {
			t.Errorf("%s: %+v, %v", kind, record.Run.Setbacks, err)
		}
	}
}
