package daemon_test

import (
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
)

// TestLinkToTheView: a publication is exported with the link to its view, which is asked for once. A
// service that does not tell it holds up no publication, and a retry of the folder asks again.
func TestLinkToTheView(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/told/1.jpg")
	link := w.published()["Summer/told"].EmbedURL
	if !strings.HasPrefix(link, "http") {
		t.Errorf("the link is %q", link)
	}
	w.calls.spoil = always(sandbox.Embed, refused)
	w.shoot("b", "Summer/told/1.jpg")
	w.shoot("b", "Summer/refused/1.jpg")
	after := w.published()
	if after["Summer/told"].EmbedURL != link || after["Summer/refused"].EmbedURL != "" {
		t.Errorf("the links are %q, before it was %q, and %q", after["Summer/told"].EmbedURL, link, after["Summer/refused"].EmbedURL)
	}
	if calls := w.calls.since(); countOp(calls, sandbox.Embed) != 2 {
		t.Errorf("the calls were %v, want the link of each view to be asked for once", calls)
	}
	w.calls.setSpoil(nil)
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 2 })
		retry(t, d, w.key("Summer/refused"))
		until(func(products []status.ProductStatus) bool {
			return count(products, status.Published) == 2 && products[0].EmbedURL != ""
		})
	})
}
