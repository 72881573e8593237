package daemon

import (
	"testing"
	"testing/synctest"

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
