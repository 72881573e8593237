package daemon_test

import (
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
)

// TestRefusalIsToldInPlainWords: the reason says what the service refuses and what helps, and the
// detail names the request, also without a daemon.
func TestRefusalIsToldInPlainWords(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.calls.spoil = always("4.2", sandbox.Fault{Status: 422, Body: `{"errors":["sku is too long"]}`})
	w.shoot("a", "Summer/SKU-1/1.jpg")
	products, err := w.sync()
	p := products["Summer/SKU-1"]
	const reason = "the hosting service refuses to make the product: sku is too long; " +
		"correct title, sku, manufacturer or year in product.toml or in the folder's name, then `spinsync retry Summer/SKU-1`"
	if err == nil || p.State != status.Attention || p.Reason != reason {
		t.Errorf("%v; the folder is %s: %q", err, p.State, p.Reason)
	}
	const request = "(POST /api/v2/products, answered 422)"
	if r := w.record("Summer/SKU-1"); !strings.HasSuffix(r.Detail, request) || r.Trouble.Detail != r.Detail {
		t.Errorf("recorded is %q and %q", r.Detail, r.Trouble.Detail)
	}
	w.runUntil(func(all []status.ProductStatus) bool {
		return len(all) == 1 && strings.HasSuffix(all[0].Detail, request)
	})
}
