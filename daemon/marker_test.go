package daemon_test

import (
	"os"
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
		if n := revisions(t, w); n != 2 {
			t.Errorf("two shoots went live in %d revisions", n)
		}
	})
}

func revisions(t *testing.T, w *daemontest.World) int {
	products, err := w.Service.Products()
	daemontest.Must(t, err)
	return len(products[0].Revisions)
}

// TestMarkerOfBeforeThePhotos: a marker speaks for the photos that it came after. One that was copied before
// them, or touched for itself, does not make a set of each later photo.
func TestMarkerOfBeforeThePhotos(t *testing.T) {
	daemontest.Story(t, "quiet = \"10s\"\nmarker = \"done.txt\"\n", func(t *testing.T, w *daemontest.World) {
		shoot := func(take string) {
			for _, name := range []string{"1.jpg", "2.jpg", "3.jpg"} {
				w.Shoot(take, "Summer/SKU-1/"+name)
				time.Sleep(5 * time.Second)
			}
			time.Sleep(time.Minute)
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			w.Write("Summer/SKU-1/done.txt", "")
			time.Sleep(time.Second)
			shoot("first")
			if n := revisions(t, w); n != 1 {
				t.Errorf("the first shoot went live in %d revisions", n)
			}
			w.Write("Summer/SKU-1/done.txt", "touched")
			time.Sleep(time.Hour)
			shoot("second")
			if n := revisions(t, w); n != 2 {
				t.Errorf("two shoots went live in %d revisions", n)
			}
			w.Shoot("third", "Summer/SKU-1/1.jpg")
			w.Write("Summer/SKU-1/done.txt", "written anew")
			time.Sleep(8 * time.Second)
			until(daemontest.In(status.Published, 1))
			if n := revisions(t, w); n != 3 {
				t.Errorf("with its marker the third shoot was the %d. revision", n)
			}
		})
	})
}

// TestMarkerThatAProgramTouches: who gives an old marker an attribute, as a backup does, does not say that
// the photos are complete.
func TestMarkerThatAProgramTouches(t *testing.T) {
	daemontest.Story(t, "quiet = \"10m\"\nmarker = \"done.txt\"\n", func(t *testing.T, w *daemontest.World) {
		w.While(func(d *daemon.Daemon, _ daemontest.Await) {
			w.Write("Summer/SKU-1/done.txt", "")
			time.Sleep(time.Minute)
			w.Shoot("first", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			time.Sleep(time.Minute)
			daemontest.Must(t, os.Chmod(w.Path("Summer/SKU-1/done.txt"), 0o600))
			time.Sleep(time.Minute)
			if all := d.Status().Products; all[0].State != status.Collecting {
				t.Errorf("a minute after the marker was touched it is %s", all[0].State)
			}
		})
	})
}
