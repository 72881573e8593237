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
