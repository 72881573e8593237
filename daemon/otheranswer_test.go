package daemon_test

import (
	"fmt"
	"net/http"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
)

// TestAnswerToAnotherCreate: a folder whose create is answered with the product of another folder
// finds its own product, and leaves the other's alone.
func TestAnswerToAnotherCreate(t *testing.T) {
	t.Parallel()
	for name, title := range map[string]string{"with a title": "SKU-1", "without a title": ""} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
				first := w.Published()["Summer/SKU-1"]
				w.Shoot("b", "Summer/SKU-2/b1.jpg")
				others := fmt.Sprintf(`{"uuid":%q,"title":%q,"path":"%s/rotation/0/1","policy":"p","signature":"s","hostname":"127.0.0.1:1","access_key_id":"k","acl":"private"}`,
					first.UUID, title, first.UUID)
				w.Calls.Spoil(daemontest.Once(sandbox.CreateProduct, sandbox.Fault{Status: 200, Body: others, Process: true}))
				products := w.Published()
				second := products["Summer/SKU-2"]
				if second.UUID == first.UUID || len(second.Images) != 1 || products["Summer/SKU-1"].Revision != first.Revision {
					t.Errorf("they are published as %+v and %+v", products["Summer/SKU-1"], second)
				}
				if titles := w.Titles(); len(titles) != 2 {
					t.Errorf("on the service are %q", titles)
				}
			})
		})
	}
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
