package daemon_test

import (
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestAsIsEndsWithItsSet: frames that were accepted, and then completed to what is published, are no
// word about a later shoot.
func TestAsIsEndsWithItsSet(t *testing.T) {
	daemontest.Story(t, "quiet = \"30s\"\nframes = 3", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
		w.Published()
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			w.Remove("Summer/SKU-1/2.jpg")
			until(daemontest.In(status.Collecting, 1))
			daemontest.Must(t, d.Do(daemon.RetryAsIs, w.Key("Summer/SKU-1")))
			w.Shoot("a", "Summer/SKU-1/2.jpg")
			until(daemontest.In(status.Published, 1))
			time.Sleep(time.Hour)
			w.Remove("Summer/SKU-1")
			w.Shoot("b", "Summer/SKU-1/1.jpg")
			time.Sleep(time.Minute)
			until(daemontest.In(status.Attention, 1))
		})
		if got := w.Record("Summer/SKU-1"); got.Published.Revision > 0 {
			t.Errorf("revision %d is live", got.Published.Revision)
		}
	})
}
