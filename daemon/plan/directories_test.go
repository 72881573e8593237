package plan_test

import (
	"errors"
	"testing"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/watcher"
)

// TestDirectoryAtAnotherDepth: a directory that is no product folder has a status only while a
// person must see to it, and the record of an earlier product folder stays.
func TestDirectoryAtAnotherDepth(t *testing.T) {
	fails := func(err error) func(*plan.Scene) { return func(s *plan.Scene) { s.Facts.Snapshot.Err = err } }
	denied := &watcher.AccessError{Path: "/shoots/SKU-1", Err: errors.New("permission denied")}
	recorded := func(s *plan.Scene) { s.Record.Shown.State = string(status.Attention) }
	product := func(s *plan.Scene) { s.Record.Product.UUID = "product" }
	intent := func(s *plan.Scene) { s.Record.Run = plantest.Making("SKU-1") }
	directory := func(changes ...func(*plan.Scene)) plan.Scene {
		return plantest.With(plantest.AScene(0), append(changes, func(s *plan.Scene) { s.Facts.Outside = true })...)
	}
	rows{
		"with photos":                {directory(fails(&watcher.MisplacedError{Photos: 1, First: "1.jpg"})), "idle: attention, misplaced, 1 of 0"},
		"that may not be read":       {directory(fails(denied)), "idle: attention, no access"},
		"with a name for another":    {directory(fails(&watcher.NameError{})), "idle: attention, misplaced"},
		"that cannot be read":        {directory(fails(errors.New("input/output error"))), "idle: retrying, unreadable"},
		"as recorded":                {directory(recorded), "idle: attention"},
		"that could not be read":     {directory(gone(1), fails(errors.New("input/output error"))), "forget: missing, no longer wrong"},
		"in order again":             {directory(recorded, gone(1)), "forget: missing, no longer wrong"},
		"of an earlier layout":       {directory(gone(1), product), "wait: published"},
		"whose create is unanswered": {directory(gone(1), intent), "wait: published"},
	}.check(t)
}

func TestWhereMisplacedPhotosLie(t *testing.T) {
	l := parsed(t, "{project}/{sku}")
	for _, test := range []struct {
		folder string
		photos int
		want   string
	}{
		{"a", 1, "shoots/a lies directly in the watched folder; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
		{"a", 2, "shoots/a lies directly in the watched folder; product folders belong at project/sku; its 2 photos, such as 1.jpg, are not used: move them"},
		{".", 1, "shoots is the watched folder itself; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
		{"a/b", 1, "shoots/a/b lies 2 directories below the watched folder; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
		{"a/b/c", 1, "shoots/a/b/c lies in a product folder; product folders belong at project/sku; its photo 1.jpg is not used: move it"},
	} {
		s := plantest.With(plantest.AScene(0), func(s *plan.Scene) {
			s.Facts.Outside, s.Facts.Rules.Layout, s.Facts.Snapshot.Root, s.Facts.Snapshot.Folder = true, l, "/srv/shoots", test.folder
			s.Facts.Snapshot.Err = &watcher.MisplacedError{Photos: test.photos, First: "1.jpg"}
		})
		want := test.want + ", or change layout or ignore in sync.toml"
		if got := plan.Next(plantest.Judged(s)).Cause.Text; got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
