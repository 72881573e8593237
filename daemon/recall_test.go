package daemon

import (
	"errors"
	"testing"
	"time"

	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// TestPublicationIsRecalled: after a restart the watcher learns when each folder was published,
// since it lists those of the last days in turn.
func TestPublicationIsRecalled(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	err := d.records.Update(key, func(r *syncstate.Record) error {
		r.Published = &syncstate.Published{Revision: 1, At: plantest.Noon}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := d.board.recall(nil)
	if at := before.listings[key.Root][key.Path].At; err != nil || !at.Equal(plantest.Noon) {
		t.Errorf("published at %v, want %v; error %v", at.In(time.UTC), plantest.Noon, err)
	}
}

// TestBegunRunIsThatOfAProduct: a folder whose create has no answer takes its turn as before, one whose
// product is there goes first, after a restart as well.
func TestBegunRunIsThatOfAProduct(t *testing.T) {
	d := idleDaemon(t)
	making := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/SKU-1"}
	owed := syncstate.Folder{Root: making.Root, Path: "Summer/SKU-2"}
	err := d.records.Update(making, func(r *syncstate.Record) error { r.Run = plantest.Making("SKU-1"); return nil })
	err = errors.Join(err, d.records.Update(owed, func(r *syncstate.Record) error {
		r.Product.UUID, r.Run = "shoe", new(syncstate.Run)
		return nil
	}))
	if _, failed := d.board.recall(nil); errors.Join(err, failed) != nil {
		t.Fatal(err, failed)
	}
	for key, want := range map[syncstate.Folder]bool{making: false, owed: true} {
		f := d.board.folders.all[key]
		j := d.board.jobOf(f)
		if _, err := j.Scene(); err != nil {
			t.Fatal(err)
		}
		if f.begun != want || j.Begun != want {
			t.Errorf("%s has begun: %t, and for its worker: %t", key.Path, f.begun, j.Begun)
		}
	}
}
