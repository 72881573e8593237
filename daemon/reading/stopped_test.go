package reading

import (
	"testing"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Only a folder that waits for a person is stopped, and no longer than its files and the reason
// are the same.
func TestWhenAFolderIsStopped(t *testing.T) {
	folder := New(Files{}, syncstate.Folder{Path: "SKU-1"}, &Root{})
	folder.Snapshot.Present = true
	cause := &status.Cause{Kind: status.StuckProcessing}
	var stopped syncstate.Record
	stopped.State, stopped.Cause, stopped.DefectKey = string(status.Attention), cause, folder.DefectKey(cause)
	for name, test := range map[string]struct {
		change func(*syncstate.Record)
		want   bool
	}{
		"as it was":        {func(*syncstate.Record) {}, true},
		"another state":    {func(r *syncstate.Record) { r.State = string(status.Queued) }, false},
		"a trouble":        {func(r *syncstate.Record) { r.Trouble = new(syncstate.Trouble) }, false},
		"another reason":   {func(r *syncstate.Record) { r.Cause = &status.Cause{Kind: status.Twins} }, false},
		"no stop recorded": {func(r *syncstate.Record) { r.DefectKey = "" }, false},
	} {
		r := stopped
		if test.change(&r); folder.isStopped(&r) != test.want {
			t.Errorf("%s: stopped %t", name, !test.want)
		}
	}
}
