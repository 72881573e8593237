package hosting

import (
	"testing"
	"time"

	"spinsync/apiclient"
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

// TestListsHaveWhatWasMade: a product that a create made a moment ago is in each list of its project,
// once, and under the name that the service has for it.
func TestListsHaveWhatWasMade(t *testing.T) {
	now, shoe := time.Now(), NewProductName("p", "SKU-1", "Shoe")
	for name, test := range map[string]struct {
		project string
		age     time.Duration
		listed  string // title; empty for none
		want    int
	}{
		"it is not listed yet":      {"p", time.Minute, "", 1},
		"it is listed":              {"p", time.Minute, "Shoe", 1},
		"it has another name":       {"p", time.Minute, "Boot", 0},
		"it is of another project":  {"q", time.Minute, "", 0},
		"it was made long ago":      {"p", time.Hour, "", 0},
		"it was made after request": {"p", -time.Second, "", 1},
	} {
		var l Lists
		l.Made(shoe, apiclient.Product{UUID: "u", Title: "Shoe"}, now.Add(-test.age))
		fresh := list{now, map[ProductName][]apiclient.Product{}}
		if test.listed != "" {
			fresh.products[NewProductName("p", "SKU-1", test.listed)] = []apiclient.Product{{UUID: "u"}}
		}
		if l.keep(test.project, fresh); len(fresh.products[shoe]) != test.want {
			t.Errorf("%s: %+v", name, fresh.products)
		}
	}
}

// TestNamesAsServicesKeepThem: a product is found again although the service trimmed or escaped its
// name or composed its letters, and is not taken for another one.
func TestNamesAsServicesKeepThem(t *testing.T) {
	asked := NewProductName("p", "SKU 1 ", "Käse & Co")
	for _, kept := range []ProductName{
		NewProductName("p", "SKU 1", "Ka\u0308se & Co"), NewProductName("p", " SKU  1", "Käse & Co\t"),
		NewProductName("p", "SKU 1", "K&auml;se &amp; Co"), NewProductName("p", "SKU 1", "Käse &#38; Co"),
	} {
		if kept != asked {
			t.Errorf("%q is not found as %q", asked, kept)
		}
	}
	for _, other := range []ProductName{NewProductName("p", "SKU1", "Käse & Co"), NewProductName("p", "SKU 1", "Kase & Co"), NewProductName("q", "SKU 1", "Käse & Co")} {
		if other == asked {
			t.Errorf("%q is taken for %q", other, asked)
		}
	}
}
