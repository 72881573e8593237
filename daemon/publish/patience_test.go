package publish

import (
	"errors"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRefusedProject: the service's own refusal to list a project is tried three times in a row, and
// then a person is asked whether the project is gone. Another failure never says so.
func TestRefusedProject(t *testing.T) {
	j := NewJob(&Publisher{Records: NewRecords(plantest.Store(t)), Started: time.Now().Add(-time.Hour)}, syncstate.Folder{Root: "/shoots", Path: "a"}, nil)
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
		keep(t, j, syncstate.Record{Trouble: &syncstate.Trouble{Kind: syncstate.Retried, Cause: status.Because(status.Failed), Refusals: test.before}})
		if test.before == 0 {
			keep(t, j, syncstate.Record{})
		}
		asked := syncstate.Intent{Sent: test.created != 0, At: time.Now().Add(-test.created)}
		err := j.creator.projectRefused(asked, &test.refusal)
		if outcome.Needs(err, status.ProjectRefused) != test.asks || !test.asks && !errors.Is(err, error(&test.refusal)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnershipOfARun: the revision is the run's own once the service went on since the finish, and
// doubtful until the files are compared.
func TestOwnershipOfARun(t *testing.T) {
	before := syncstate.Progress{Revision: 4, Status: "finished"}
	for name, test := range map[string]struct {
		run   syncstate.Run
		seen  syncstate.Progress
		doubt bool
		want  syncstate.Ownership
	}{
		"nothing has moved":  {syncstate.Run{BeforeFinish: &before}, before, false, syncstate.Unproven},
		"another status":     {syncstate.Run{BeforeFinish: &before}, syncstate.Progress{Revision: 4}, false, syncstate.Own},
		"it had no images":   {syncstate.Run{}, before, false, syncstate.Own},
		"it moved, and back": {syncstate.Run{BeforeFinish: &before, Ownership: syncstate.Own}, before, false, syncstate.Own},
		"another's revision": {syncstate.Run{BeforeFinish: &before, Ownership: syncstate.Own}, before, true, syncstate.Doubtful},
		"doubtful as it was": {syncstate.Run{Ownership: syncstate.Doubtful}, before, false, syncstate.Doubtful},
	} {
		if got := ownershipOf(&test.run, test.seen, test.doubt); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
