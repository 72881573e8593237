package daemon_test

import (
	"fmt"
	"testing"

	"spinsync/apiclient/sandbox"
)

// TestAnswerToAnotherCreate: a folder whose create is answered with the product of another folder finds its own product, and
// leaves the other's alone.
func TestAnswerToAnotherCreate(t *testing.T) {
	for name, title := range map[string]string{"with a title": "SKU-1", "without a title": ""} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
			first := w.published()["Summer/SKU-1"]
			w.shoot("b", "Summer/SKU-2/b1.jpg")
			mixedUp := false
			w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
				if c.Op != "4.2" || mixedUp {
					return sandbox.Fault{}
				}
				mixedUp = true
				body := fmt.Sprintf(`{"uuid":%q,"title":%q,"path":"%s/rotation/0/1","policy":"p","signature":"s","hostname":"127.0.0.1:1","access_key_id":"k","acl":"private"}`,
					first.UUID, title, first.UUID)
				return sandbox.Fault{Status: 200, Body: body, Process: true}
			}
			products := w.published()
			second := products["Summer/SKU-2"]
			if second.UUID == first.UUID || len(second.Images) != 1 || products["Summer/SKU-1"].Revision != first.Revision {
				t.Errorf("they are published as %+v and %+v", products["Summer/SKU-1"], second)
			}
			if titles := w.titles(); len(titles) != 2 {
				t.Errorf("on the service are %q", titles)
			}
		})
	}
}

// TestErrorsBesideAProduct: an answer that names errors and a product is no success, and no proof that nothing was made.
func TestErrorsBesideAProduct(t *testing.T) {
	for _, process := range []bool{true, false} {
		w := newWorld(t, shortQuiet)
		w.shoot("a", "Summer/SKU-1/1.jpg")
		refused := false
		w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
			if c.Op != "4.2" || refused {
				return sandbox.Fault{}
			}
			refused = true
			status := 422
			if process {
				status = 200
			}
			return sandbox.Fault{Status: status, Process: process, Body: `{"uuid":"6b6f7c0e-0000-4000-8000-000000000000","errors":["no room"]}`}
		}
		if p := w.published()["Summer/SKU-1"]; p.UUID == "6b6f7c0e-0000-4000-8000-000000000000" {
			t.Errorf("it is published as %+v", p)
		}
		if titles := w.titles(); len(titles) != 1 {
			t.Errorf("on the service are %q", titles)
		}
	}
}
