package publish

import (
	"errors"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/outcome"
	"spinsync/daemon/status"
)

// TestProductThatIsGone: the status alone says that a product is gone, and a person is called then.
// Another refusal is checked with the status, at its pace.
func TestProductThatIsGone(t *testing.T) {
	refusal := &apiclient.Error{Status: 404}
	for name, test := range map[string]struct {
		failure error
		deleted bool
		asked   bool // a moment ago
		gone    bool
	}{
		"the status said so":            {failure: apiclient.ErrUnknownProduct, gone: true},
		"it is refused, and gone":       {failure: refusal, deleted: true, gone: true},
		"it is refused, and there":      {failure: refusal},
		"it is refused, and just asked": {failure: refusal, deleted: true, asked: true},
	} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		product := s.Record.Product.UUID
		if test.deleted {
			if err := client.DeleteProduct(t.Context(), product); err != nil {
				t.Fatal(err)
			}
		}
		if j.parts.collector.ask.poll.First = time.Hour; test.asked {
			j.gate.service.Memory.Asked.Note(product, time.Now())
		}
		err := j.parts.collector.ask.productGone(t.Context(), product, test.failure)
		if outcome.Needs(err, status.ProductGone) != test.gone || !test.gone && !errors.Is(err, test.failure) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestProjectThatIsGone: of several projects of a title those count whose products the service lists. A
// list may still have one that is gone. Where all are refused, all count.
func TestProjectThatIsGone(t *testing.T) {
	for _, stands := range []bool{true, false} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ListProductsOfProject && !stands {
				return sandbox.Fault{Status: 404, Body: `{"errors":["no such project"]}`}
			}
			return sandbox.Fault{}
		})
		j, _ := published(t, client, 1, func(commit func() error) error { return commit() })
		projects, err := client.Projects(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gone := apiclient.Project{UUID: "gone", Title: "Summer"}
		found, err := j.parts.projects.lookForProject(t.Context(), append(projects, gone), "Summer")
		if err != nil || (len(found) == 1 && found[0].UUID == projects[0].UUID) != stands || len(found) == 2 == stands {
			t.Errorf("one stands: %t, found are %+v, %v", stands, found, err)
		}
	}
}
