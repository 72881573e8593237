package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// TestPublicationIsRecalled: after a restart the watcher is told when each folder was published,
// since it lists those of the last days in turn.
func TestPublicationIsRecalled(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	err := d.Records.Update(key, func(r *syncstate.Record) error {
		r.Published = &syncstate.Published{Revision: 1, At: plantest.Noon}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := d.board.recall()
	if at := before.listings[key.Root][key.Path].At; err != nil || !at.Equal(plantest.Noon) {
		t.Errorf("published at %v, want %v; error %v", at.In(time.UTC), plantest.Noon, err)
	}
}
