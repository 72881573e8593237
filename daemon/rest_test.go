package daemon_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRetryAfterHoldsForAllFolders: a service that asked for a pause of two hours gets no request.
// That holds for every folder, after a retry by a person, and after sync.toml was read again.
func TestRetryAfterHoldsForAllFolders(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(func(*sandbox.Call) sandbox.Fault {
			return sandbox.Fault{Status: 503, Body: `{"errors":["maintenance"]}`, Header: http.Header{"Retry-After": {"7200"}}}
		})
		resting := func(folders int) func(all []status.ProductStatus) bool {
			return func(all []status.ProductStatus) bool {
				return len(all) == folders && !slices.ContainsFunc(all, func(p status.ProductStatus) bool {
					return p.State != status.Retrying || !strings.Contains(p.Reason, "maintenance")
				})
			}
		}
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(resting(1))
			w.Calls.Since()
			d.SetUpload(w.Config().Upload)
			d.PasswordChanged()
			if err := d.Do(daemon.Retry, syncstate.Folder{}); err != nil {
				t.Fatal(err)
			}
			w.Shoot("b", "Summer/SKU-2/1.jpg")
			until(resting(2))
		})
		if calls := w.Calls.Since(); len(calls) > 0 {
			t.Errorf("the service was asked %q", calls)
		}
	})
}

// TestPassDoesNotWaitForAnHour: a pass ends as soon as nothing is left but folders whose host asked
// for more rest than a pass has patience, and says so.
func TestPassDoesNotWaitForAnHour(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{"a throttled host": {"Retry-After": {"3600"}}, "a host with a fault": {"Retry-After": {"3601"}}} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				current := map[string]int{"3600": 503, "3601": 500}[header.Get("Retry-After")]
				w.Calls.Spoil(daemontest.Always(sandbox.CreateProduct, sandbox.Fault{Status: current, Body: "closed", Header: header}))
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
				products, err := w.Sync()
				if !errors.Is(err, daemon.ErrUnpublished) {
					t.Errorf("the pass ends with %v", err)
				}
				for _, p := range products {
					if p.State != status.Retrying || !strings.Contains(p.Reason, "hosting service") {
						t.Errorf("%s is %s, %s", p.Folder, p.State, p.Reason)
					}
				}
			})
		})
	}
}

// TestFramesThatArriveEndNoWait: while a folder waits for its next try, a frame that arrives is
// read and brings no other try before its time.
func TestFramesThatArriveEndNoWait(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.Upload, sandbox.Fault{Status: 500}))
		w.Shoot("a", "Summer/SKU-1/00.jpg")
		retrying := daemontest.In(status.Retrying, 1)
		w.RunUntil(retrying)
		w.InStore(func(store *syncstate.Store) error {
			return store.Update(w.Key("Summer/SKU-1"), func(r *syncstate.Record) error {
				r.Trouble.At, r.Trouble.Tries.Next = time.Now(), time.Now().Add(outcome.LongestRetry/2)
				return nil
			})
		})
		w.Calls.Since()
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			for i := range 12 {
				w.Shoot("a", fmt.Sprintf("Summer/SKU-1/%02d.jpg", i+1))
				until(func(all []status.ProductStatus) bool { return len(all) == 1 && all[0].Frames.Settled >= i+2 })
			}
			until(retrying)
		})
		if calls := w.Calls.Since(); slices.Contains(calls, sandbox.Upload) {
			t.Errorf("the service was asked %q", calls)
		}
	})
}

// TestLookingAgainIsNoNewState: a view that is looked at again, by a retry of all or of its folder, is
// published since as long as before.
func TestLookingAgainIsNoNewState(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Published()
		since := w.Record("Summer/SKU-1").Shown.Since
		for _, key := range []syncstate.Folder{{}, w.Key("Summer/SKU-1")} {
			time.Sleep(time.Minute)
			w.InStore(func(store *syncstate.Store) error { return daemon.DoRecorded(store, daemon.Retry, key) })
			w.Published()
			if now := w.Record("Summer/SKU-1").Shown.Since; !now.Equal(since) {
				t.Errorf("after a retry of %q it is published since %s, and was since %s", key.Path, now, since)
			}
		}
		time.Sleep(time.Minute)
		w.Shoot("b", "Summer/SKU-1/1.jpg")
		w.Published()
		if now := w.Record("Summer/SKU-1").Shown.Since; now.Equal(since) {
			t.Errorf("after another revision it is published since %s", now)
		}
	})
}
