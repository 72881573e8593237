package daemon

import (
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/plan"
	"spinsync/daemon/publish"
	"spinsync/daemon/schedule"
	"spinsync/syncstate"
)

// TestFolderThatIsPutDownGoesLast: a folder has its place among the uploads for as long as a worker
// has it, and a new one with the next worker.
func TestFolderThatIsPutDownGoesLast(t *testing.T) {
	for _, putDown := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			slots := schedule.NewSlots(config.Upload{Parallel: 4}, new(schedule.Priorities))
			d := DaemonOf(publish.Publisher{Slots: slots})
			first, second := syncstate.Folder{Path: "a"}, syncstate.Folder{Path: "b"}
			enter := func(key syncstate.Folder) {
				if err := slots.Enter(t.Context(), key); err != nil {
					t.Error(err)
				}
			}
			for _, key := range []syncstate.Folder{first, second, second, second} {
				enter(key)
			}
			slots.Leave(first, false)
			if putDown {
				d.board.finished(&folder{key: first, job: &publish.Job{}}, plan.Step{})
			}
			enter(first)
			go enter(second)
			go enter(first)
			synctest.Wait()
			slots.Leave(second, false)
			synctest.Wait()
			if n := slots.Of(first); n == 1 != putDown {
				t.Errorf("put down %v, it has %d slots", putDown, n)
			}
			slots.Leave(second, false)
		})
	}
}

// TestPriorityPassesThoseInLine: a folder that a person wants first goes before those that stood in
// line before it, and stands where it stood when that is taken back.
func TestPriorityPassesThoseInLine(t *testing.T) {
	for last, want := range map[Verb]string{Prioritize: "b", EndPriority: "a"} {
		d := idleDaemon(t)
		root := d.config.Watch[0].Path
		for _, name := range []string{"a", "b"} {
			key := syncstate.Folder{Root: root, Path: name}
			d.board.folders.all[key] = d.board.newFolder(key)
			d.board.queue.Add(key, schedule.New)
		}
		second := syncstate.Folder{Root: root, Path: "b"}
		if err := d.records.Update(second, func(r *syncstate.Record) error { r.Idle.Listing = "seen"; return nil }); err != nil {
			t.Fatal(err)
		}
		for _, v := range []Verb{Prioritize, last} {
			if err := d.Do(v, second); err != nil {
				t.Fatal(err)
			}
		}
		if key, _ := d.board.queue.Take(time.Now(), func(string, schedule.Class) bool { return true }); key.Path != want {
			t.Errorf("after %s %q goes first, want %q", last, key.Path, want)
		}
	}
}
