package publish

import (
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/plan"
	"spinsync/syncstate"
)

// A product that is gone, and still listed, is no view of the folder's name, and none that it may
// have had before.
func TestGoneProductIsNoCandidate(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	projects, err := client.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := syncstate.Project{UUID: projects[0].UUID, Title: projects[0].Title}
	for product, want := range map[string]int{s.Record.Product.UUID: 0, "another": 1} {
		s.Record.Product.UUID, s.Facts.Wanted = product, plan.Product{SKU: "SKU-1", Title: "SKU-1"}
		if one, err := j.parts.reconciler.views.seekByName(t.Context(), s, own.UUID); err != nil || (one.UUID != "") != (want > 0) {
			t.Errorf("of its name is %+v, %v", one, err)
		}
		s.Facts.Wanted.Title = "Shoe"
		if found, err := j.parts.reconciler.views.lookalikes.candidates(t.Context(), s, own, projects); err != nil || len(found) != want {
			t.Errorf("found are %+v, %v", found, err)
		}
	}
}
