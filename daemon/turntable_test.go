package daemon_test

import (
	"net/http/httptest"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A set that is complete, with each frame whole and read, is shown as complete whether or not it can
// be published.
func TestCompleteIsToldWhateverKeepsTheUpload(t *testing.T) {
	t.Parallel()
	const folder = "Summer/SKU-1"
	for name, hold := range map[string]func(w *daemontest.World, d *daemon.Daemon) error{
		"everything is paused":         func(_ *daemontest.World, d *daemon.Daemon) error { return d.Do(daemon.Pause, syncstate.Folder{}) },
		"the service does not answer":  func(*daemontest.World, *daemon.Daemon) error { return nil },
		"the folder is paused halfway": func(w *daemontest.World, d *daemon.Daemon) error { return d.Do(daemon.Pause, w.Key(folder)) },
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, "frames = 4\nquiet = \"1h\"", func(t *testing.T, w *daemontest.World) {
				nobody := httptest.NewServer(nil)
				nobody.Close()
				w.URL = nobody.URL
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					w.Shoot("a", folder+"/1.jpg", folder+"/2.jpg")
					until(func(p []status.ProductStatus) bool { return len(p) == 1 && p[0].Frames.Settled == 2 })
					if err := hold(w, d); err != nil {
						t.Fatal(err)
					}
					if p := d.Status().Products[0]; p.Complete {
						t.Errorf("with 2 of 4 frames it is %+v", p)
					}
					w.Shoot("a", folder+"/3.jpg", folder+"/4.jpg")
					until(func(p []status.ProductStatus) bool { return p[0].Complete })
					w.Write(folder+"/5.jpg.part", "")
					until(func(p []status.ProductStatus) bool { return !p[0].Complete })
				})
			})
		})
	}
}

// Only frames arrive: a text beside those that are published says nothing about when the last of
// them came, nor does a start.
func TestOnlyFramesArrive(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		before := status.ProductStatus{}
		live := func(revision int64) func(p []status.ProductStatus) bool {
			return func(p []status.ProductStatus) bool {
				if len(p) != 1 || p[0].State != status.Published || p[0].Revision < revision {
					return false
				}
				before = p[0]
				return true
			}
		}
		w.RunUntil(live(0))
		came := before.Arrived
		if came.IsZero() || !before.Complete {
			t.Fatalf("it is %+v", before)
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			w.Write("Summer/SKU-1/1.txt", "A shoe")
			until(func([]status.ProductStatus) bool {
				details, err := d.Details(t.Context(), w.Key("Summer/SKU-1"))
				return err == nil && len(details.Frames) == 1 && details.Frames[0].Alt["en"].Service == "A shoe"
			})
			if p := d.Status().Products[0]; !p.Arrived.Equal(came) || !p.Complete {
				t.Errorf("after a text it is %+v, came at %s", p, came)
			}
			revision := d.Status().Products[0].Revision
			w.Shoot("b", "Summer/SKU-1/1.jpg")
			until(live(revision + 1))
			if !before.Arrived.After(came) {
				t.Errorf("after another frame it is %+v", before)
			}
		})
	})
}
