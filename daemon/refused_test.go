package daemon_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestRefusalIsToldInPlainWords: the reason says what the service refuses and what helps, and the
// detail names the request, also without a daemon.
func TestRefusalIsToldInPlainWords(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Always(sandbox.CreateProduct, sandbox.Fault{Status: 422, Body: `{"errors":["sku is too long"]}`}))
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		products, err := w.Sync()
		p := products["Summer/SKU-1"]
		const reason = "the hosting service refuses to make the product: sku is too long; " +
			"correct title, sku, manufacturer or year in product.toml or in the folder's name, then `spinsync retry Summer/SKU-1`"
		if err == nil || p.State != status.Attention || p.Reason != reason {
			t.Errorf("%v; the folder is %s: %q", err, p.State, p.Reason)
		}
		const request = "(POST /api/v2/products, answered 422)"
		if r := w.Record("Summer/SKU-1"); !strings.HasSuffix(r.Shown.Detail, request) || r.Trouble.Detail != r.Shown.Detail {
			t.Errorf("recorded is %q and %q", r.Shown.Detail, r.Trouble.Detail)
		}
		w.RunUntil(func(all []status.ProductStatus) bool {
			return len(all) == 1 && strings.HasSuffix(all[0].Detail, request)
		})
	})
}

// TestRefusedFinish: a service that lacks files does not take the upload as complete, however often
// the finish is sent. After a retry all frames go under a new form.
func TestRefusedFinish(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		forms := 0
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			switch {
			case c.Op == sandbox.UpdateProduct:
				forms++
			case c.Op == sandbox.FinishUpload && forms == 0:
				return sandbox.Fault{Status: 409, Body: `{"errors":["1 of 2 files are there"]}`}
			}
			return sandbox.Fault{}
		})
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			w.Calls.Since()
			retry(t, d, w.Key("Summer/SKU-1"))
			until(daemontest.In(status.Published, 1))
		})
		if calls := w.Calls.Since(); countOp(calls, sandbox.UpdateProduct) != 1 || countOp(calls, sandbox.Upload) != 2 {
			t.Errorf("the calls after the retry were %v", calls)
		}
	})
}

// TestRejectedPasswordIsNoFoldersTrouble: every folder tells that the password is rejected, and
// none keeps it, so that all goes on by itself as soon as the password is right.
func TestRejectedPasswordIsNoFoldersTrouble(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
		w.Calls.Spoil(func(*sandbox.Call) sandbox.Fault {
			return sandbox.Fault{Status: 401, Body: `{"errors":["who are you"]}`}
		})
		w.RunUntil(func(all []status.ProductStatus) bool {
			return len(all) == 2 && !slices.ContainsFunc(all, func(p status.ProductStatus) bool {
				return p.State != status.Attention || p.NextTry == nil || !strings.Contains(p.Reason, "password")
			})
		})
		for _, folder := range []string{"Summer/SKU-1", "Summer/SKU-2"} {
			if trouble := w.Record(folder).Trouble; trouble != nil {
				t.Errorf("%s keeps %+v", folder, *trouble)
			}
		}
		w.Calls.Spoil(nil)
		w.RunUntil(func(all []status.ProductStatus) bool {
			return len(all) == 2 && all[0].State == status.Published && all[1].State == status.Published
		})
	})
}

// TestErrorsBesideAProduct: an answer that names errors and a product is no success, and no proof
// that nothing was made.
func TestErrorsBesideAProduct(t *testing.T) {
	t.Parallel()
	const uuid = "6b6f7c0e-0000-4000-8000-000000000000"
	for _, fault := range []sandbox.Fault{{Status: 200, Process: true}, {Status: 422}} {
		t.Run(http.StatusText(fault.Status), func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/SKU-1/1.jpg")
				fault.Body = `{"uuid":"` + uuid + `","errors":["no room"]}`
				w.Calls.Spoil(daemontest.Once(sandbox.CreateProduct, fault))
				if p := w.Published()["Summer/SKU-1"]; p.UUID == uuid {
					t.Errorf("it is published as %+v", p)
				}
				if titles := w.Titles(); len(titles) != 1 {
					t.Errorf("on the service are %q", titles)
				}
			})
		})
	}
}
