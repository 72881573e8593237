package daemon_test

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
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
	t.Parallel()
	page := http.Header{"Content-Type": {"text/html"}}
	for name, refusal := range map[string]sandbox.Fault{
		"forbidden":             {Status: 403, Body: `{"errors":["edit permission is needed"]}`},
		"forbidden by a page":   {Status: 403, Body: "<html>forbidden</html>", Header: page},
		"not found":             {Status: 404, Body: `{"errors":["no such product"]}`},
		"errors without status": {Status: 200, Body: `{"errors":["not allowed"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.calls.spoil = always(sandbox.ListImages, refusal)
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
				if ops := w.calls.since(); times(sandbox.CreateProduct, ops) != 2 || times(sandbox.Upload, ops) != 2 || slices.Contains(ops, sandbox.UpdateProduct) {
					t.Errorf("the calls with the permission are %q", ops)
				}
			})
		})
	}
}

func times(op string, ops []string) int {
	n := 0
	for _, o := range ops {
		if o == op {
			n++
		}
	}
	return n
}

// TestPassingRedirectNeedsNobody: one redirect in place of a list of images, as in a maintenance,
// is tried again by itself, and so is a password that is rejected for a while.
func TestPassingRedirectNeedsNobody(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]sandbox.Fault{
		"a redirect":          {Status: 302, Header: http.Header{"Location": {"/maintenance"}}},
		"a rejected password": {Status: 401, Body: `{"errors":["who are you"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/A/1.jpg")
			w.published()
			w.shoot("b", "Summer/A/1.jpg")
			w.while(func(d *daemon.Daemon, until await) {
				var spoiled atomic.Bool
				w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
					if c.Op != sandbox.ListImages || spoiled.Swap(true) {
						return sandbox.Fault{}
					}
					return answer
				})
				until(func([]status.ProductStatus) bool { return spoiled.Load() })
				if answer.Status == 401 {
					until(func(all []status.ProductStatus) bool { return all[0].NextTry != nil })
					d.PasswordChanged()
				}
				until(func(all []status.ProductStatus) bool {
					if strings.Contains(all[0].Reason, "edit permission") {
						t.Fatalf("a person is called: %s", all[0].Reason)
					}
					return all[0].State == status.Published && all[0].Revision == 1
				})
			})
		})
	}
}
