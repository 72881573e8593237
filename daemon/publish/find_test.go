package publish

import (
	"errors"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRefusedProject: the service's own refusal to list a project is tried three times in a row,
// and then a person is asked whether the project is gone. Another failure never says so.
func TestRefusedProject(t *testing.T) {
	f := productFinder{
		record:  aLedger(t, syncstate.Folder{Root: "/shoots", Path: "a"}, syncstate.Record{}),
		service: &hosting.Service{Began: time.Now().Add(-time.Hour)},
	}
	own := []string{"no such project"}
	for name, test := range map[string]struct {
		refusal apiclient.Error
		before  int           // refusals
		created time.Duration // ago, without an answer; 0 = no create
		asks    bool
	}{
		"the first time":    {apiclient.Error{Status: 404, Messages: own}, 0, 0, false},
		"the second time":   {apiclient.Error{Status: 404, Messages: own}, 1, 0, false},
		"the third time":    {apiclient.Error{Status: 404, Messages: own}, 2, 0, true},
		"errors, but 200":   {apiclient.Error{Status: 200, Messages: own}, 2, 0, true},
		"not for this user": {apiclient.Error{Status: 403, Messages: own}, 2, 0, false},
		"a page of another": {apiclient.Error{Status: 404}, 2, 0, false},
		"a young create":    {apiclient.Error{Status: 404, Messages: own}, 2, time.Minute, false},
		"an old create":     {apiclient.Error{Status: 404, Messages: own}, 2, time.Hour, true},
		"one of the future": {apiclient.Error{Status: 404, Messages: own}, 2, -46 * time.Hour, true},
	} {
		f.record.write(t, syncstate.Record{Trouble: &syncstate.Trouble{Kind: syncstate.Retried, Cause: status.Because(status.Failed), Refusals: test.before}})
		if test.before == 0 {
			f.record.write(t, syncstate.Record{})
		}
		asked := syncstate.Intent{Sent: test.created != 0, At: time.Now().Add(-test.created)}
		err := f.projectRefused(asked, &test.refusal)
		if outcome.Needs(err, status.ProjectRefused) != test.asks || !test.asks && !errors.Is(err, error(&test.refusal)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
