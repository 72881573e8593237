package daemon_test

import (
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
)

// TestBackDuringTheDelete: a folder that comes back, and to rest, while the answer to the deletion of its view is awaited gets
// another view.
func TestBackDuringTheDelete(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/other/1.jpg")
	first := w.published()["Summer/SKU-1"].UUID
	removeAll(t, w.path("Summer/SKU-1"))
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op != "4.10" {
			return sandbox.Fault{}
		}
		w.shoot("a", "Summer/SKU-1/1.jpg")
		return sandbox.Fault{Hold: time.Second}
	}
	w.runUntil(func(products []daemon.ProductStatus) bool {
		return count(products, daemon.Published) == 2 && products[0].Product != first
	})
}
