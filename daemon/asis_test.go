package daemon_test

import (
	"slices"
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
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

// TestAsIsIsAboutItsFrames: the word is about the frames that a person was asked about, also where a
// sidecar came since. It is no word about those of a shoot that begins before they go live.
func TestAsIsIsAboutItsFrames(t *testing.T) {
	for name, want := range map[string]status.State{"the same frames": status.Published, "another shoot": status.Attention} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+"frames = 4\n", func(t *testing.T, w *daemontest.World) {
				frames := []string{"Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg"}
				w.Shoot("a", frames...)
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					until(daemontest.In(status.Attention, 1))
					w.Write("Summer/SKU-1/1.txt", "from the front")
					time.Sleep(time.Minute)
					daemontest.Must(t, d.Do(daemon.Pause, syncstate.Folder{}))
					daemontest.Must(t, d.Do(daemon.RetryAsIs, w.Key("Summer/SKU-1")))
					time.Sleep(time.Minute)
					if want == status.Attention {
						w.Remove(frames...)
						time.Sleep(time.Minute)
						w.Shoot("b", frames...)
					}
					daemontest.Must(t, d.Do(daemon.Resume, syncstate.Folder{}))
					until(func(all []status.ProductStatus) bool {
						return slices.Contains([]status.State{status.Published, status.Attention}, all[0].State)
					})
					if got := d.Status().Products[0]; got.State != want {
						t.Errorf("it is %s: %s", got.State, got.Reason)
					}
				})
			})
		})
	}
}
