package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestUserWithoutEditPermission: where the service refuses to list the images of a view that went
// live, a person is called, and nothing else is begun in its project. With the permission the view
// is recorded by itself, without being sent once more, and the others follow.
func TestUserWithoutEditPermission(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.ListImages, sandbox.Fault{Status: 403, Body: `{"errors":["edit permission is needed"]}`}))
		w.Shoot("a", "Summer/A/1.jpg")
		lacks := func(n int) func([]status.ProductStatus) bool {
			return func(all []status.ProductStatus) bool {
				asked := 0
				for _, p := range all {
					if p.State == status.Attention && strings.Contains(p.Reason, "give the user edit permission for it there") {
						asked++
					}
				}
				return asked == n
			}
		}
		w.RunUntil(lacks(1))
		w.Calls.Since()
		w.Shoot("b", "Summer/B/1.jpg", "Summer/C/1.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) { // the refusal is known from before the start
			until(lacks(3))
			if ops := w.Calls.Since(); slices.Contains(ops, sandbox.CreateProduct) || slices.Contains(ops, sandbox.Upload) {
				t.Errorf("the calls are %q", ops)
			}
			w.Calls.Spoil(nil)
			retry(t, d, syncstate.Folder{})
			until(daemontest.In(status.Published, 3))
			if ops := w.Calls.Since(); countOp(ops, sandbox.CreateProduct) != 2 || countOp(ops, sandbox.Upload) != 2 || slices.Contains(ops, sandbox.UpdateProduct) {
				t.Errorf("the calls with the permission are %q", ops)
			}
		})
	})
}
