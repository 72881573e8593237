package publish

import (
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Refused texts call a person after some tries in a row. Those before the texts were set once do
// not count.
func TestRefusedTextsInARow(t *testing.T) {
	frames := []syncstate.Frame{{ImageID: 7}}
	rt := refusedTexts{pace: pace{random: func(int64) int64 { return 0 }}}
	refuse := func() error {
		rt.note(frames[0], "no")
		return rt.end(frames)
	}
	for try := range 3 * mostTries {
		if err := refuse(); outcome.Needs(err, status.TextsRefusedFor) {
			t.Fatalf("a person is called at try %d, although the texts were set between", try)
		}
		if err := rt.end(frames); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the person has had them tried again
		for range mostTries - 1 {
			if err := refuse(); outcome.Needs(err, status.TextsRefusedFor) {
				t.Fatal("a person is called early")
			}
		}
		if err := refuse(); !outcome.Needs(err, status.TextsRefusedFor) {
			t.Errorf("told %v", err)
		}
	}
}
