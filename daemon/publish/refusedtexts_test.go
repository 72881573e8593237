package publish

import (
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// Refused texts call a person after some tries in a row. Those before the texts were set once do
// not count.
func TestRefusedTextsInARow(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	refuse := func() error {
		j.texts.refused = map[int64]string{s.Record.Published.Frames[0].ImageID: "no"}
		return j.texts.endRefusals(s)
	}
	for try := range 3 * mostTries {
		if err := refuse(); outcome.Needs(err, status.TextsRefusedFor) {
			t.Fatalf("a person is called at try %d, although the texts were set between", try)
		}
		if err := j.texts.endRefusals(s); err != nil {
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
