package daemon_test

import (
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestMarkerOfBeforeItsLine: files lie in the folders before sync.toml names them as the marker. Each photo
// of a reshoot is not a set of its own.
func TestMarkerOfBeforeItsLine(t *testing.T) {
	daemontest.Story(t, "quiet = \"10s\"\n", func(t *testing.T, w *daemontest.World) {
		w.Shoot("first", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
		w.Write("Summer/SKU-1/done.txt", "")
		w.Published()
		w.TOML += "marker = \"done.txt\"\n"
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 1))
			for _, name := range []string{"1.jpg", "2.jpg", "3.jpg"} {
				time.Sleep(5 * time.Second)
				w.Shoot("second", "Summer/SKU-1/"+name)
			}
			time.Sleep(5 * time.Second)
			w.Write("Summer/SKU-1/done.txt", "again")
			time.Sleep(time.Minute)
		})
		products, err := w.Service.Products()
		daemontest.Must(t, err)
		if n := len(products[0].Revisions); n != 2 {
			t.Errorf("two shoots went live in %d revisions", n)
		}
	})
}
