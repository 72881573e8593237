package daemon

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestEndOfAPauseIsToldAtOnce: the status and the export tell of a folder as before the pause,
// although its turn comes later.
func TestEndOfAPauseIsToldAtOnce(t *testing.T) {
	d := idleDaemon(t)
	waits := status.ProductStatus{Root: d.config.Watch[0].Path, Folder: "Summer/waits", State: status.Collecting, Cause: &status.Cause{Kind: status.Sending, Count: 1, Of: 4}, Since: plantest.Noon}
	found := syncstate.Folder{Root: waits.Root, Path: "Summer/found in the pause"}
	for _, key := range []syncstate.Folder{waits.Key(), found} {
		d.board.folders[key] = d.board.newFolder(key)
	}
	d.board.folders[waits.Key()].status = waits
	keepStatus(t, d, waits)
	err := d.Do(Pause, syncstate.Folder{})
	for key, f := range d.board.folders {
		s := plantest.AScene(3).Snapshot
		s.Root, s.Folder = key.Root, key.Path
		lookAt(t, d, key, s)
		if f.status.State != status.Paused {
			t.Errorf("%s is told as %s in the pause", key.Path, f.status.State)
		}
	}
	if err := errors.Join(err, d.Do(Resume, syncstate.Folder{})); err != nil {
		t.Fatal(err)
	}
	want := map[string]status.State{waits.Folder: status.Collecting, found.Path: status.Queued}
	told, exported := map[string]status.State{}, map[string]status.State{}
	for _, p := range d.Status().Products {
		told[p.Folder] = p.State
	}
	err = d.Export(func(p status.ExportedProduct) error { exported[p.Folder] = p.State; return nil })
	if err != nil || !maps.Equal(told, want) || !maps.Equal(exported, want) {
		t.Errorf("%v; the status tells %v, the export %v; want %v", err, told, exported, want)
	}
	i := slices.IndexFunc(d.Status().Products, func(p status.ProductStatus) bool { return p.Folder == waits.Folder })
	if p := d.Status().Products[i]; p.Reason != "1 of 4 frames" || !p.Since.Equal(plantest.Noon) {
		t.Errorf("it is told as %s since %s", p.Reason, p.Since)
	}
}
