package daemon_test

import (
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestNoteOutlastsARestart: a sidecar that names no frame is noted as long as it lies there, also
// when a folder that was not read since the start is looked at again.
func TestNoteOutlastsARestart(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Write("Summer/SKU-1/stray.txt", "of no frame")
		noted := w.Published()["Summer/SKU-1"].Reason
		time.Sleep(time.Minute)
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 1))
			daemontest.Must(t, d.Do(daemon.Pause, syncstate.Folder{}))
			daemontest.Must(t, d.Do(daemon.Resume, syncstate.Folder{}))
			time.Sleep(time.Minute)
		})
		if now := w.Record("Summer/SKU-1").Shown.Cause; noted == "" || plantest.Words(now) != noted {
			t.Errorf("%q was noted, and then %q", noted, plantest.Words(now))
		}
	})
}
