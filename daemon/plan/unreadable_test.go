package plan_test

import (
	"errors"
	"testing"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// TestFolderThatCannotBeRead: a person is called to the directory that this account may not read,
// once, and a published folder below it stays published.
func TestFolderThatCannotBeRead(t *testing.T) {
	denied := func(path string) func(*plan.Scene) {
		return func(s *plan.Scene) {
			s.Facts.Snapshot.Err = &watcher.AccessError{Path: path, Err: errors.New("permission denied")}
		}
	}
	was := func(s *plan.Scene) { s.Record.Shown.State = string(status.Published) }
	unidentified := func(err error) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Unidentified = err } }
	patient := func(s *plan.Scene) { s.Facts.Rules.Settle = 0 }
	rows{
		"itself":                   {view(denied("/shoots/SKU-1")), "idle: attention, no access"},
		"itself, published":        {view(was, denied("/shoots/SKU-1")), "idle: attention, no access"},
		"a directory above":        {view(denied("/shoots")), "idle: retrying, no access"},
		"above a published one":    {view(was, denied("/shoots")), "idle: published, no access"},
		"of a name that begins so": {view(denied("/shoots/SKU-10")), "idle: retrying, no access"},
		"a file in it":             {view(denied("/shoots/SKU-1/frame_01.jpg")), "idle: attention, no access"},
		"a file of a view":         {view(was, denied("/shoots/SKU-1/frame_01.jpg")), "idle: published, no access"},
		"for another reason":       {view(was, func(s *plan.Scene) { s.Facts.Snapshot.Err = errors.New("input/output error") }), "idle: retrying, unreadable"},

		"a file being written": {fresh(3, unidentified(products.ErrBeingWritten)), "wait: collecting, awaits file, until 5s, due 5s"},
		"the same, at once":    {fresh(3, patient, unidentified(products.ErrBeingWritten)), "wait: collecting, awaits file, until 1s, due 1s"},
		"a file":               {fresh(3, unidentified(plan.UnreadError{Err: errors.New("input/output error")})), "wait: retrying, unreadable, until 20s, due 20s"},
		"a forbidden file": {fresh(3, unidentified(plan.UnreadError{Err: &watcher.AccessError{Path: "/shoots/products.csv", Err: errors.New("permission denied")}})),
			"wait: attention, no access, until 20s, due 20s"},
		"a wrong file": {fresh(3, unidentified(errors.New("line 1"))), "idle: attention, mistake"},
	}.check(t)
}

// TestWhatCannotBeRead: a folder that waits for unreadable files shows why. It calls a person only where
// the account lacks a right. A folder that waits for something else shows that.
func TestWhatCannotBeRead(t *testing.T) {
	failed := func(err error) func(*plan.Scene) {
		return func(s *plan.Scene) { s.Facts.Blind = &plan.Blind{Err: err, Until: plantest.Noon.Add(time.Second)} }
	}
	denied := &watcher.AccessError{Path: "/shoots/SKU-1/frame_01.jpg", Dir: "/shoots", Err: errors.New("denied")}
	held := outcome.Later(plantest.Noon.Add(time.Second), status.List(status.Unsettled, []status.Cause{{Kind: status.Temporary}}), nil)
	rows{
		"by the disk":        {fresh(1, unread, blind), cannotRead},
		"without rights":     {fresh(1, unread, failed(denied)), "wait: attention, no access, until 1s, due 1s"},
		"as it is held":      {fresh(1, unread, failed(held)), "wait: retrying, unsettled, 1 parts, until 1s, due 1s"},
		"beside read frames": {fresh(3, blind), "find project: uploading, finding project"},
		"beside a wait":      {fresh(1, unread, blind, trouble(syncstate.Retried, "")), "wait: retrying, no answer, detail a request, until 1m0s, due 1s"},
	}.check(t)
}
