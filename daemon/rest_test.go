package daemon_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
)

// TestRestIsKeptOverARestart: a service that asked for two hours of rest is sent nothing by the next process, whichever folder it
// works on.
func TestRestIsKeptOverARestart(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.calls.spoil = func(*sandbox.Call) sandbox.Fault {
		return sandbox.Fault{Status: 503, Body: `{"errors":["maintenance"]}`, Header: http.Header{"Retry-After": {"7200"}}}
	}
	resting := func(folders int) func(all []daemon.ProductStatus) bool {
		return func(all []daemon.ProductStatus) bool {
			return len(all) == folders && !slices.ContainsFunc(all, func(p daemon.ProductStatus) bool {
				return p.State != daemon.Retrying || !strings.Contains(p.Reason, "maintenance")
			})
		}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.runUntil(resting(1))
	w.calls.since()
	w.shoot("b", "Summer/SKU-2/1.jpg")
	w.runUntil(resting(2))
	if calls := w.calls.since(); len(calls) > 0 {
		t.Errorf("the service was asked %q", calls)
	}
}
