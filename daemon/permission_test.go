package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestUserWithoutEditPermission: where the service refuses to list the images of a view that went
// live, a person is called, and nothing else is begun in its project. With the permission the view
// is recorded by itself, without being sent once more, and the others follow.
func TestUserWithoutEditPermission(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.calls.spoil = always(sandbox.ListImages, sandbox.Fault{Status: 403, Body: `{"errors":["edit permission is needed"]}`})
	w.shoot("a", "Summer/A/1.jpg")
	lacks := func(n int) func([]status.ProductStatus) bool {
		return func(all []status.ProductStatus) bool {
			asked := 0
			for _, p := range all {
				if p.State == status.Attention && strings.Contains(p.Reason, "have the user given edit permission for it there") {
					asked++
				}
			}
			return asked == n
		}
	}
	w.runUntil(lacks(1))
	w.calls.since()
	w.shoot("b", "Summer/B/1.jpg", "Summer/C/1.jpg")
	w.while(func(d *daemon.Daemon, until await) { // the refusal is known from before the start
		until(lacks(3))
		if ops := w.calls.since(); slices.Contains(ops, sandbox.CreateProduct) || slices.Contains(ops, sandbox.Upload) {
			t.Errorf("the calls are %q", ops)
		}
		w.calls.setSpoil(nil)
		retry(t, d, syncstate.Folder{})
		until(func(all []status.ProductStatus) bool { return count(all, status.Published) == 3 })
		if ops := w.calls.since(); countOp(ops, sandbox.CreateProduct) != 2 || countOp(ops, sandbox.Upload) != 2 || slices.Contains(ops, sandbox.UpdateProduct) {
			t.Errorf("the calls with the permission are %q", ops)
		}
	})
}
