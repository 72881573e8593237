package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// A root is recorded when it is met, also where its drive is away, and its drives when they change. Else
// the state file would be written at each look.
func TestVolumesAreRecordedOnce(t *testing.T) {
	writes := 0
	store := plantest.ObservedStore(t, func(commit func() error) error { writes++; return commit() })
	path := t.TempDir()
	all, err := watcher.New([]watcher.Root{{Path: path, Depth: 1, Settle: time.Second}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := publish.NewRecords(store)
	r := new(reading.Root)
	for i, step := range []struct {
		mounts map[string]volume.Identity
		writes int
	}{{nil, 1}, {map[string]volume.Identity{"Summer": {}}, 1}, {map[string]volume.Identity{}, 0}} {
		r.Mounts = step.mounts
		err := store.UpdateRoot(path, func(record *syncstate.RootRecord) error {
			record.Mounts = recordedMounts(step.mounts)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		writes = 0
		for range 2 {
			if (roots{path: r}).rememberVolumes(all, records); writes != step.writes {
				t.Errorf("step %d: %d writes, want %d", i, writes, step.writes)
			}
		}
	}
}

// TestAcceptRecorded: a root is accepted without a daemon where it stands on another volume, or a
// drive below it is no more mounted. On the volume of before there is nothing to accept.
func TestAcceptRecorded(t *testing.T) {
	root := t.TempDir()
	on, err := volume.Survey(root)
	if err != nil {
		t.Fatal(err)
	}
	here := volumeText(on.Identity)
	gone := []syncstate.Mount{{Dir: []byte("Drive"), Volume: here}}
	for name, test := range map[string]struct {
		before syncstate.RootRecord
		known  bool
	}{
		"the same volume": {syncstate.RootRecord{Volume: here}, true},
		"another volume":  {syncstate.RootRecord{Volume: "{}"}, false},
		"a drive is gone": {syncstate.RootRecord{Volume: here, Mounts: gone}, false},
	} {
		store := plantest.Store(t)
		err := store.UpdateRoot(root, func(r *syncstate.RootRecord) error { *r = test.before; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if err := acceptRecorded(store, root); (err != nil) != test.known {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := store.Root(root); err != nil || after.Volume != here || len(after.Mounts) > 0 {
			t.Errorf("%s: %+v, %v", name, after, err)
		}
	}
}
