package hosting

import (
	"testing"
	"time"
)

// TestOldListsAreDropped: the list of a project that is done with is not kept.
func TestOldListsAreDropped(t *testing.T) {
	var r Lists
	now := time.Now()
	r.keep("old", list{asked: now.Add(-listLife)})
	r.keep("young", list{asked: now.Add(-time.Second)})
	r.keep("new", list{asked: now})
	_, old := r.known["old"]
	_, young := r.known["young"]
	if old || !young || len(r.known) != 2 {
		t.Errorf("%d lists are kept", len(r.known))
	}
}

// TestNamesAsServicesKeepThem: a product is found again although the service trimmed its name or
// composed its letters, and is not taken for another one.
func TestNamesAsServicesKeepThem(t *testing.T) {
	asked := NewProductName("p", "SKU 1 ", "Käse")
	for _, kept := range []ProductName{NewProductName("p", "SKU 1", "Ka\u0308se"), NewProductName("p", " SKU  1", "Käse\t")} {
		if kept != asked {
			t.Errorf("%q is not found as %q", asked, kept)
		}
	}
	for _, other := range []ProductName{NewProductName("p", "SKU1", "Käse"), NewProductName("p", "SKU 1", "Kase"), NewProductName("q", "SKU 1", "Käse")} {
		if other == asked {
			t.Errorf("%q is taken for %q", other, asked)
		}
	}
}
