package daemon_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRushOutlivesRestart: a folder that was to go first still is after a restart, and when it is
// published it is one of many again, also where that happens without anything to send.
func TestRushOutlivesRestart(t *testing.T) {
	w := newWorld(t, "frames = 2\nquiet = \"30ms\"\n")
	w.shoot("a", "Summer/SKU-1/1.jpg")
	key := syncstate.Folder{Root: w.root, Path: "Summer/SKU-1"}
	first := func(state status.State, want bool) func([]status.ProductStatus) bool {
		return func(products []status.ProductStatus) bool {
			return len(products) == 1 && products[0].State == state && products[0].Priority == want
		}
	}
	w.while(func(d *daemon.Daemon, until func(func([]status.ProductStatus) bool)) {
		until(first(status.Attention, false))
		order(t, d, daemon.Prioritize, key)
		until(first(status.Attention, true))
	})
	w.while(func(d *daemon.Daemon, until func(func([]status.ProductStatus) bool)) {
		until(first(status.Attention, true))
		order(t, d, daemon.EndPriority, key)
		until(first(status.Attention, false))
		order(t, d, daemon.Prioritize, key)
		w.shoot("a", "Summer/SKU-1/2.jpg")
		until(first(status.Published, false))
		order(t, d, daemon.Prioritize, key)
		until(first(status.Published, false))
	})
	w.inStore(func(store *syncstate.Store) error { // as a kill leaves it
		return store.Update(key, func(r *syncstate.Record) error { r.Priority = true; return nil })
	})
	w.runUntil(first(status.Published, false))
	w.inStore(func(store *syncstate.Store) error {
		if r, err := store.Record(key); err != nil || r.Priority {
			t.Errorf("the folder is recorded to go first: %t, %v", r.Priority, err)
		}
		return nil
	})
}

// TestRushFollowsTheFolder: a folder that goes first does so under its new name.
func TestRushFollowsTheFolder(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault { return sandbox.Fault{DropBefore: c.Op == sandbox.Upload} }
	w.while(func(d *daemon.Daemon, until func(func([]status.ProductStatus) bool)) {
		until(func(products []status.ProductStatus) bool {
			return count(products, status.Retrying) == 1 && products[0].Product != ""
		})
		order(t, d, daemon.Prioritize, syncstate.Folder{Root: w.root, Path: "Summer/SKU-1"})
		w.moveTo("Summer/SKU-1", "Summer/SKU-2")
		until(func(products []status.ProductStatus) bool {
			return len(products) == 1 && products[0].Folder == "Summer/SKU-2" && products[0].Priority
		})
	})
}

// TestWishesOutlastARecord: what a person wished for a folder before it took over the record of the
// one that it was stays.
func TestWishesOutlastARecord(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault { return sandbox.Fault{DropBefore: c.Op == sandbox.Upload} }
	w.runUntil(func(products []status.ProductStatus) bool {
		return count(products, status.Retrying) == 1 && products[0].Product != ""
	})
	w.moveTo("Summer/SKU-1", "Summer/SKU-2")
	w.inStore(func(store *syncstate.Store) error {
		return store.Update(w.key("Summer/SKU-2"), func(r *syncstate.Record) error { r.Priority = true; return nil })
	})
	w.runUntil(func(products []status.ProductStatus) bool {
		return len(products) == 1 && products[0].Folder == "Summer/SKU-2" && products[0].Product != "" && products[0].Priority
	})
}

// TestRushIsForOneFolder: all folders, a root and an unknown one cannot go first.
func TestRushIsForOneFolder(t *testing.T) {
	w := newWorld(t, shortQuiet)
	d, end := w.daemon()
	defer end()
	for _, key := range []syncstate.Folder{{}, {Root: w.root}, {Root: w.root, Path: "Summer/SKU-1"}} {
		if err := d.Do(daemon.Prioritize, key); err == nil {
			t.Errorf("%q goes first", key)
		}
	}
}

// TestRushIsPublishedFirst: the frames of a folder that goes first are sent before those of one
// whose frames are on their way.
func TestRushIsPublishedFirst(t *testing.T) {
	var mu sync.Mutex
	var finished []string
	began, sends := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, "frames = 12\n"+shortQuiet+"[upload]\nparallel = 1\n", func(o *sandbox.Options) {
		o.Intercept = func(c *sandbox.Call) sandbox.Fault {
			switch c.Op {
			case sandbox.Upload:
				select {
				case began <- struct{}{}:
				default:
				}
				<-sends
			case sandbox.FinishUpload:
				mu.Lock()
				defer mu.Unlock()
				finished = append(finished, c.Request.URL.Path)
			}
			return sandbox.Fault{}
		}
	})
	shoot := func(folder string) {
		for i := range 12 {
			w.shoot("a", fmt.Sprintf("%s/%02d.jpg", folder, i))
		}
	}
	var hurried string
	w.while(func(d *daemon.Daemon, until func(func([]status.ProductStatus) bool)) {
		shoot("Summer/SKU-1")
		<-began
		shoot("Summer/SKU-2")
		until(func(products []status.ProductStatus) bool {
			if len(products) == 2 {
				hurried = products[1].Product
			}
			return len(products) == 2 && strings.HasPrefix(products[1].Reason, "0 of 12") && products[1].Frames.Settled == 12
		})
		order(t, d, daemon.Prioritize, syncstate.Folder{Root: w.root, Path: "Summer/SKU-2"})
		close(sends)
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 2 })
	})
	if len(finished) != 2 || hurried == "" || !strings.Contains(finished[0], hurried) {
		t.Errorf("the uploads end with %q; the product that goes first is %s", finished, hurried)
	}
}

func order(t *testing.T, d *daemon.Daemon, v daemon.Verb, key syncstate.Folder) {
	t.Helper()
	if err := d.Do(v, key); err != nil {
		t.Fatal(err)
	}
}
