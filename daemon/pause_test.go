package daemon

import (
	"testing"
	"time"

	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestPauseIsLaidOverWhatIsShown: while a pause holds, status and export say so of a folder with work
// owed. After it they say what they said before, although the folder's turn comes later, and although
// the program was started again in between.
func TestPauseIsLaidOverWhatIsShown(t *testing.T) {
	for name, again := range map[string]bool{"in one life": false, "over a restart": true} {
		t.Run(name, func(t *testing.T) {
			d := idleDaemon(t)
			waits := status.ProductStatus{
				Root: d.config.Watch[0].Path, Folder: "Summer/waits", State: status.Collecting,
				Cause: &status.Cause{Kind: status.Sending, Count: 1, Of: 4}, Since: plantest.Noon,
			}
			found := syncstate.Folder{Root: waits.Root, Path: "Summer/found in the pause"}
			for _, key := range []syncstate.Folder{waits.Key(), found} {
				d.board.folders.all[key] = d.board.newFolder(key)
			}
			d.board.folders.all[waits.Key()].status = waits
			keepStatus(t, d, waits)
			if err := d.Do(Pause, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			for key := range d.board.folders.all {
				s := plantest.AScene(3).Facts.Snapshot
				s.Root, s.Folder, s.Changed = key.Root, key.Path, time.Now().Add(-time.Hour)
				if last := lookAt(t, d, key, s); last.Action != plan.Idle || last.State != status.Paused {
					t.Errorf("%s: %s, %s in the pause", key.Path, last.Action, last.State)
				}
			}
			if again {
				clear(d.board.folders.all)
				if _, err := d.board.recall(nil); err != nil {
					t.Fatal(err)
				}
			}
			wantShown(t, d, map[string]string{waits.Folder: "paused, " + plantest.Words(status.Because(status.AllPaused)), found.Path: "paused, " + plantest.Words(status.Because(status.AllPaused))})
			if err := d.Do(Resume, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			wantShown(t, d, map[string]string{waits.Folder: "collecting, 1 of 4 frames", found.Path: "queued, waiting for its turn"})
			for _, p := range d.Status().Products {
				if p.Folder == waits.Folder && !p.Since.Equal(plantest.Noon) {
					t.Errorf("it is shown since %s", p.Since)
				}
			}
		})
	}
}

// wantShown looks at state and reason in the status and in the export.
func wantShown(t *testing.T, d *Daemon, want map[string]string) {
	t.Helper()
	look := func(by, folder string, state status.State, reason string) {
		if got := string(state) + ", " + reason; got != want[folder] {
			t.Errorf("the %s says of %s: %s; want %s", by, folder, got, want[folder])
		}
	}
	for _, p := range d.Status().Products {
		look("status", p.Folder, p.State, p.Reason)
	}
	err := d.Export(func(p status.ExportedProduct) error {
		look("export", p.Folder, p.State, p.Reason)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWishesFollowTheRecord: a record that came from another folder brings its pause and its priority.
func TestWishesFollowTheRecord(t *testing.T) {
	d := idleDaemon(t)
	key := syncstate.Folder{Root: d.config.Watch[0].Path, Path: "Summer/new"}
	d.board.folders.all[key] = d.board.newFolder(key)
	for _, wished := range []bool{true, false} {
		err := d.records.Update(key, func(r *syncstate.Record) error {
			if r.Wishes.Priority, r.Wishes.Paused = wished, (time.Time{}); wished {
				r.Wishes.Paused = plantest.Noon
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		changed := d.Changed()
		d.board.FollowWishes(key)
		if d.board.IsPaused(key) != wished || d.board.priorities.Has(key) != wished {
			t.Errorf("paused %t, first %t", d.board.IsPaused(key), d.board.priorities.Has(key))
		}
		select {
		case <-changed:
		default:
			t.Error("nobody who follows the status hears of it")
		}
	}
}
