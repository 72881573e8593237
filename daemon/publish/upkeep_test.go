package publish

import (
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
)

// TestViewThatIsLookedFor: the service's own word alone says that a view is gone, and not the first. Then the folder
// has no product any more: one that is gone too is forgotten, and one that stands is published
// again.
func TestViewThatIsLookedFor(t *testing.T) {
	for name, test := range map[string]struct {
		present, deleted bool
		first            bool // the status says so for the first time
		status           int  // of the answer; 0 = the service's own
		has, fails       bool
	}{
		"both are gone":                       {deleted: true},
		"the view is gone":                    {present: true, deleted: true},
		"the view is gone since just now":     {present: true, deleted: true, first: true, has: true, fails: true},
		"the folder is gone":                  {has: true},
		"none is gone":                        {present: true, has: true},
		"the folder is gone, and no answer":   {deleted: true, status: 503, has: true},
		"a folder that stands, and no answer": {present: true, deleted: true, status: 404, has: true, fails: true},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ReadStatus {
				return sandbox.Fault{Status: test.status}
			}
			return sandbox.Fault{}
		})
		j, s := published(t, client, 1, func(commit func() error) error { return commit() })
		if s.Facts.Snapshot.Present = test.present; !test.first {
			j.gate.ask.said[s.Record.Product.UUID] = knowledge{at: time.Now().Add(-time.Hour), denied: hosting.Rungs + 1}
		}
		if test.deleted {
			if err := client.DeleteProduct(t.Context(), s.Record.Product.UUID); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.parts.upkeep.verifyProduct(t.Context(), s); (err != nil) != test.fails {
			t.Errorf("%s: %v", name, err)
		}
		r, err := j.record.read()
		if err != nil || (r.Published != nil || r.Product.SKU != "" || r.Product.UUID != "") != test.has || r.Absence.Verified.IsZero() == (test.has && !test.present) {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
	}
}
