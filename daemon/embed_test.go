package daemon_test

import (
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestLinkToTheView: a publication is exported with the link to its view, which is asked for once. A
// service that does not tell it holds up no publication, and a retry of the folder asks again.
func TestLinkToTheView(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/told/1.jpg")
		link := w.Published()["Summer/told"].EmbedURL
		if !strings.HasPrefix(link, "http") {
			t.Errorf("the link is %q", link)
		}
		w.Calls.Spoil(daemontest.Always(sandbox.Embed, refused))
		w.Shoot("b", "Summer/told/1.jpg")
		w.Shoot("b", "Summer/refused/1.jpg")
		after := w.Published()
		if after["Summer/told"].EmbedURL != link || after["Summer/refused"].EmbedURL != "" {
			t.Errorf("the links are %q, before it was %q, and %q", after["Summer/told"].EmbedURL, link, after["Summer/refused"].EmbedURL)
		}
		if calls := w.Calls.Since(); countOp(calls, sandbox.Embed) != 2 {
			t.Errorf("the calls were %v, want the link of each view to be asked for once", calls)
		}
		w.Calls.Spoil(nil)
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 2))
			retry(t, d, w.Key("Summer/refused"))
			until(func(products []status.ProductStatus) bool {
				return count(products, status.Published) == 2 && products[0].EmbedURL != ""
			})
		})
	})
}
