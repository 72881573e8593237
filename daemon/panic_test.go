package daemon_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A panic in the work on a folder, on any goroutine, parks that folder: it is tried twice more, then
// a person is asked. The other folders are published meanwhile. A retry starts the count again.
func TestPanicParksOneFolder(t *testing.T) {
	daemontest.Story(t, `quiet = "20ms"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("1", "Summer/A/1.jpg", "Summer/A/2.jpg")
		product := w.Published()["Summer/A"].UUID
		w.Shoot("1", "Summer/B/1.jpg")
		d, end := w.Open()
		defer end()
		daemon.BreakUploads(d)
		defer daemontest.Start(t, d)()
		deadline := time.After(time.Minute)
		until := func(folder string, state status.State, and func(status.ProductStatus) bool) {
			t.Helper()
			for {
				changed := d.Changed()
				for _, p := range d.Status().Products {
					if p.Folder == folder && p.State == state && and(p) {
						return
					}
				}
				select {
				case <-changed:
				case <-deadline:
					t.Fatalf("never reached; the status is %+v", d.Status())
				}
			}
		}
		always := func(status.ProductStatus) bool { return true }
		until("Summer/B", status.Retrying, always)
		until("Summer/B", status.Attention, func(p status.ProductStatus) bool { return strings.Contains(p.Reason, "spinsync diagnose") })
		w.Write("Summer/A/1.txt", "a text")
		until("Summer/A", status.Published, func(status.ProductStatus) bool { return w.English(product)[0] == "a text" })
		if err := d.Do(daemon.Retry, w.Key("Summer/B")); err != nil {
			t.Fatal(err)
		}
		until("Summer/B", status.Retrying, always)
	})
}

// TestPanicGivesItsLaneBack: there is one for all, and after the panic the other folder has it.
func TestPanicGivesItsLaneBack(t *testing.T) {
	daemontest.Story(t, "quiet = \"20ms\"\n[upload]\nparallel = 1", func(t *testing.T, w *daemontest.World) {
		w.Shoot("1", "Summer/A/1.jpg")
		w.Stagger = func(f syncstate.Folder, frame string) time.Duration {
			if f.Path == "Summer/A" && frame != "" {
				panic("the turn is broken")
			}
			return 0
		}
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Retrying, 1))
			w.Shoot("1", "Summer/B/1.jpg")
			until(daemontest.In(status.Published, 1))
		})
	})
}

// TestPanicWhileAFrameIsRead: what is sent is read on a goroutine of the HTTP client, and a panic
// there parks the folder as well.
func TestPanicWhileAFrameIsRead(t *testing.T) {
	daemontest.Story(t, "quiet = \"20ms\"", func(t *testing.T, w *daemontest.World) {
		var created atomic.Bool
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.CreateProduct {
				created.Store(true)
			}
			return sandbox.Fault{}
		})
		w.Spoil = func(string) error {
			if created.Load() {
				panic("the reading is broken")
			}
			return nil
		}
		w.Shoot("1", "Summer/A/1.jpg")
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool {
				return len(products) == 1 && products[0].State == status.Retrying && strings.Contains(products[0].Reason, "internal error")
			})
		})
	})
}
