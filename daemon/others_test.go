package daemon_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestViewReplacedByHand: when somebody else uploaded to the product, the texts have no image to go
// to. A retry uploads the folder again.
func TestViewReplacedByHand(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	before := w.published()["Summer/SKU-1"]
	w.upload(before.UUID, "other.jpg", daemontest.Photo("theirs"))
	w.write("Summer/SKU-1/1.txt", "A shoe")
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return products[0].State == status.Attention })
		retry(t, d, w.key("Summer/SKU-1"))
		until(func(products []status.ProductStatus) bool {
			return products[0].State == status.Published && products[0].Revision > before.Revision+1
		})
	})
	p := w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "A shoe"}, p.Images[0].AltTexts); diff != "" {
		t.Error(diff)
	}
}
