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
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRetryAfterHoldsForAllFolders: a service that asked for a pause of two hours gets no request.
// That holds for every folder, after a retry by a person, and after sync.toml was read again.
func TestRetryAfterHoldsForAllFolders(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.calls.spoil = func(*sandbox.Call) sandbox.Fault {
		return sandbox.Fault{Status: 503, Body: `{"errors":["maintenance"]}`, Header: http.Header{"Retry-After": {"7200"}}}
	}
	resting := func(folders int) func(all []status.ProductStatus) bool {
		return func(all []status.ProductStatus) bool {
			return len(all) == folders && !slices.ContainsFunc(all, func(p status.ProductStatus) bool {
				return p.State != status.Retrying || !strings.Contains(p.Reason, "maintenance")
			})
		}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.while(func(d *daemon.Daemon, until await) {
		until(resting(1))
		w.calls.since()
		d.SetUpload(w.config().Upload)
		d.PasswordChanged()
		if err := d.Do(daemon.Retry, syncstate.Folder{}); err != nil {
			t.Fatal(err)
		}
		w.shoot("b", "Summer/SKU-2/1.jpg")
		until(resting(2))
	})
	if calls := w.calls.since(); len(calls) > 0 {
		t.Errorf("the service was asked %q", calls)
	}
}

// TestPassDoesNotWaitForAnHour: a pass ends as soon as nothing is left but folders whose host asked
// for more rest than a pass has patience, and says so.
func TestPassDoesNotWaitForAnHour(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{"a throttled host": {"Retry-After": {"3600"}}, "a host with a fault": {"Retry-After": {"3601"}}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			current := map[string]int{"3600": 503, "3601": 500}[header.Get("Retry-After")]
			w.calls.spoil = always(sandbox.CreateProduct, sandbox.Fault{Status: current, Body: "closed", Header: header})
			w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
			products, err := w.sync()
			if !errors.Is(err, daemon.ErrUnpublished) {
				t.Errorf("the pass ends with %v", err)
			}
			for _, p := range products {
				if p.State != status.Retrying || !strings.Contains(p.Reason, "hosting service") {
					t.Errorf("%s is %s, %s", p.Folder, p.State, p.Reason)
				}
			}
		})
	}
}

// TestFramesThatArriveEndNoWait: while a folder waits for its next try, a frame that arrives is
// read and brings no other try before its time.
func TestFramesThatArriveEndNoWait(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.calls.setSpoil(always(sandbox.Upload, sandbox.Fault{Status: 500}))
	w.shoot("a", "Summer/SKU-1/00.jpg")
	retrying := func(all []status.ProductStatus) bool { return count(all, status.Retrying) == 1 }
	w.runUntil(retrying)
	w.inStore(func(store *syncstate.Store) error {
		return store.Update(w.key("Summer/SKU-1"), func(r *syncstate.Record) error {
			r.Trouble.At, r.Trouble.Tries.Next = time.Now(), time.Now().Add(outcome.LongestRetry/2)
			return nil
		})
	})
	w.calls.since()
	w.while(func(_ *daemon.Daemon, until await) {
		for i := range 12 {
			w.shoot("a", fmt.Sprintf("Summer/SKU-1/%02d.jpg", i+1))
			until(func(all []status.ProductStatus) bool { return len(all) == 1 && all[0].Frames.Settled >= i+2 })
		}
		until(retrying)
	})
	if calls := w.calls.since(); slices.Contains(calls, sandbox.Upload) {
		t.Errorf("the service was asked %q", calls)
	}
}
