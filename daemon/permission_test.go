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
)

// TestUserWithoutEditPermission: a user who may not list images makes no product where there is one
// to try it with, sends no frame where there is none, and all folders of the project ask for that
// together. A person is called, and it goes on with the permission.
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
			w.lacksPermission("Summer/A")
			if ops := w.calls.since(); slices.Contains(ops, sandbox.Upload) {
				t.Errorf("frames were sent: %q", ops)
			}
			w.shoot("b", "Summer/B/1.jpg", "Summer/C/1.jpg", "Summer/D/1.jpg", "Summer/E/1.jpg")
			w.lacksPermission("Summer/A", "Summer/B", "Summer/C", "Summer/D", "Summer/E")
			ops := w.calls.since()
			const ofA = 2 // A goes on with its own product
			if slices.Contains(ops, sandbox.CreateProduct) || slices.Contains(ops, sandbox.Upload) || times(sandbox.ListImages, ops) > ofA+1 {
				t.Errorf("the calls are %q", ops)
			}
			w.calls.spoil = nil
			w.published()
			if n := times(sandbox.CreateProduct, w.calls.since()); n != 4 {
				t.Errorf("%d products were made for B to E", n)
			}
		})
	}
}

// lacksPermission makes a pass after which these folders wait for somebody who gives the user edit
// permission.
func (w *world) lacksPermission(folders ...string) {
	w.t.Helper()
	products, err := w.sync()
	for _, folder := range folders {
		p, remedy := products[folder], "have the user given edit permission for it there, then `spinsync retry "+folder
		if err == nil || p.State != status.Attention || !strings.Contains(p.Reason, remedy) {
			w.t.Errorf("%v; %s is %s: %s", err, folder, p.State, p.Reason)
		}
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

// TestRefusalForAProductThatIsGone: a product that is not listed any more proves nothing about the
// user, nor does one that is listed and not known. Only for the latter is the status asked for.
func TestRefusalForAProductThatIsGone(t *testing.T) {
	t.Parallel()
	for name, listedFor := range map[string]int{"listed no more": 1, "listed still": 2} {
		t.Run(name, func(t *testing.T) { testRefusalForAProductThatIsGone(t, listedFor) })
	}
}

func testRefusalForAProductThatIsGone(t *testing.T, listedFor int) {
	const ghost = "0a4d55a8-d778-4e5f-92b7-8b2d2a1e0b10"
	w := newWorld(t, shortQuiet)
	lists, images, asked := 0, 0, false
	header := http.Header{"Content-Type": {"application/json"}}
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		asked = asked || c.Op == sandbox.ReadStatus && strings.Contains(c.Request.URL.Path, ghost)
		if c.Op == sandbox.ListProductsOfProject && c.Request.URL.RawQuery == "" {
			lists++
		}
		if c.Op == sandbox.ListImages {
			images++
		}
		switch {
		case c.Op == sandbox.ListProductsOfProject && lists <= listedFor:
			return sandbox.Fault{Status: 200, Body: `[{"uuid":"` + ghost + `","title":"Ghost","sku":"G"}]`, Header: header}
		case c.Op == sandbox.ListImages && images == 1:
			return sandbox.Fault{Status: 404, Body: `{"errors":["no such product"]}`, Header: header}
		}
		return sandbox.Fault{}
	}
	w.shoot("a", "Summer/A/1.jpg")
	w.published()
	if lists != 2 || asked != (listedFor == 2) {
		t.Errorf("the project was listed %d times; the status of the other product was asked for: %t", lists, asked)
	}
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
