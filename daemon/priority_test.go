package daemon_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRushOutlivesRestart: a folder that was to go first still is after a restart, and when it is
// published it is one of many again, also where that happens without anything to send.
func TestRushOutlivesRestart(t *testing.T) {
	daemontest.Story(t, "frames = 2\nquiet = \"30ms\"\n", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		key := syncstate.Folder{Root: w.Root, Path: "Summer/SKU-1"}
		first := func(state status.State, want bool) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				return len(products) == 1 && products[0].State == state && products[0].Priority == want
			}
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(first(status.Attention, false))
			order(t, d, daemon.Prioritize, key)
			until(first(status.Attention, true))
		})
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(first(status.Attention, true))
			order(t, d, daemon.EndPriority, key)
			until(first(status.Attention, false))
			order(t, d, daemon.Prioritize, key)
			w.Shoot("a", "Summer/SKU-1/2.jpg")
			until(first(status.Published, false))
			order(t, d, daemon.Prioritize, key)
			until(first(status.Published, false))
		})
		w.InStore(func(store *syncstate.Store) error { // as a kill leaves it
			return store.Update(key, func(r *syncstate.Record) error { r.Wishes.Priority = true; return nil })
		})
		w.RunUntil(first(status.Published, false))
		w.InStore(func(store *syncstate.Store) error {
			if r, err := store.Record(key); err != nil || r.Wishes.Priority {
				t.Errorf("the folder is recorded to go first: %t, %v", r.Wishes.Priority, err)
			}
			return nil
		})
	})
}

// TestRushFollowsTheFolder: a folder that goes first does so under its new name.
func TestRushFollowsTheFolder(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault { return sandbox.Fault{DropBefore: c.Op == sandbox.Upload} })
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool {
				return count(products, status.Retrying) == 1 && products[0].Product != ""
			})
			order(t, d, daemon.Prioritize, syncstate.Folder{Root: w.Root, Path: "Summer/SKU-1"})
			w.Move("Summer/SKU-1", "Summer/SKU-2")
			until(func(products []status.ProductStatus) bool {
				return len(products) == 1 && products[0].Folder == "Summer/SKU-2" && products[0].Priority
			})
		})
	})
}

// TestWishesOutlastARecord: what a person wished for a folder before it took over the record of the
// one that it was stays.
func TestWishesOutlastARecord(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault { return sandbox.Fault{DropBefore: c.Op == sandbox.Upload} })
		w.RunUntil(func(products []status.ProductStatus) bool {
			return count(products, status.Retrying) == 1 && products[0].Product != ""
		})
		w.Move("Summer/SKU-1", "Summer/SKU-2")
		w.InStore(func(store *syncstate.Store) error {
			return store.Update(w.Key("Summer/SKU-2"), func(r *syncstate.Record) error { r.Wishes.Priority = true; return nil })
		})
		w.RunUntil(func(products []status.ProductStatus) bool {
			return len(products) == 1 && products[0].Folder == "Summer/SKU-2" && products[0].Product != "" && products[0].Priority
		})
	})
}

// TestRushIsForOneFolder: all folders, a root and an unknown one cannot go first.
func TestRushIsForOneFolder(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		d, end := w.Open()
		defer end()
		for _, key := range []syncstate.Folder{{}, {Root: w.Root}, {Root: w.Root, Path: "Summer/SKU-1"}} {
			if err := d.Do(daemon.Prioritize, key); err == nil {
				t.Errorf("%q goes first", key)
			}
		}
	})
}

// TestRushIsPublishedFirst: the frames of a folder that goes first are sent before those of one
// whose frames are on their way.
func TestRushIsPublishedFirst(t *testing.T) {
	var began, sends chan struct{} // of the bubble
	var finished []string
	daemontest.Story(t, "frames = 12\n"+shortQuiet+"[upload]\nparallel = 1\n", func(t *testing.T, w *daemontest.World) {
		shoot := func(folder string) {
			for i := range 12 {
				w.Shoot("a", fmt.Sprintf("%s/%02d.jpg", folder, i))
			}
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			shoot("Summer/SKU-1")
			<-began
			shoot("Summer/SKU-2")
			until(func(products []status.ProductStatus) bool {
				return len(products) == 2 && strings.HasPrefix(products[1].Reason, "0 of 12") && products[1].Frames.Settled == 12
			})
			order(t, d, daemon.Prioritize, w.Key("Summer/SKU-2"))
			close(sends)
			until(daemontest.In(status.Published, 2))
		})
		if hurried := w.Record("Summer/SKU-2").Product.UUID; len(finished) != 2 || !strings.Contains(finished[0], hurried) {
			t.Errorf("the uploads end with %q; the product that goes first is %s", finished, hurried)
		}
	}, func(o *sandbox.Options) {
		began, sends = make(chan struct{}, 24), make(chan struct{})
		o.Intercept = func(c *sandbox.Call) sandbox.Fault {
			switch c.Op {
			case sandbox.Upload:
				began <- struct{}{}
				<-sends
				time.Sleep(time.Second)
			case sandbox.FinishUpload:
				finished = append(finished, c.Request.URL.Path)
			}
			return sandbox.Fault{}
		}
	})
}
