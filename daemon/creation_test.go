package daemon_test

import (
	"net/http"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
)

// TestProjectThatIsGone: a folder whose recorded project was deleted on the service goes into a new one of its title.
func TestProjectThatIsGone(t *testing.T) {
	w := newWorld(t, "frames = 1\n"+shortQuiet)
	w.shoot("a", "Summer/A/1.jpg")
	gone := w.published()["Summer/A"].Project.UUID
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		switch {
		case c.Op == "4.7":
			return sandbox.Fault{Status: http.StatusOK, Body: "[]", Header: http.Header{"Content-Type": {"application/json"}}}
		case c.Op == "4.8" && strings.Contains(c.Request.URL.Path, gone):
			return sandbox.Fault{Status: http.StatusNotFound, Body: "{}"}
		}
		return sandbox.Fault{}
	}
	w.shoot("b", "Summer/B/1.jpg")
	w.runUntil(func(products []daemon.ProductStatus) bool { return count(products, daemon.Published) == 2 })
	w.calls.spoil = nil
	if now := w.published()["Summer/B"].Project; now.UUID == gone || now.Title != "Summer" {
		t.Errorf("B is in project %+v", now)
	}
}
