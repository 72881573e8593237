package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/publish"
	"spinsync/daemon/reading"
	"spinsync/watcher"
	"spinsync/watcher/volume"
)

// Drives are recorded when they change. Else the state file would be written at each look.
func TestVolumesAreRecordedOnce(t *testing.T) {
	writes := 0
	store := plantest.ObservedStore(t, func(commit func() error) error { writes++; return commit() })
	path := t.TempDir()
	all, err := watcher.New([]watcher.Root{{Path: path, Depth: 1, Settle: time.Second}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &publish.Publisher{Files: reading.Files{Watcher: all}, Records: publish.NewRecords(store)}
	r := new(reading.Root)
	writes = 0
	for i, step := range []struct {
		mounts map[string]volume.Identity
		writes int
	}{{nil, 0}, {map[string]volume.Identity{"Summer": {}}, 1}, {map[string]volume.Identity{}, 1}} {
		r.Mounts = step.mounts
		for range 2 {
			if (roots{path: r}).rememberVolumes(p); writes != step.writes {
				t.Errorf("step %d: %d writes, want %d", i, writes, step.writes)
			}
		}
	}
}
