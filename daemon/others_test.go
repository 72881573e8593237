package daemon_test

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestViewReplacedByHand: when somebody else uploaded to the product, the texts have no image to go
// to. A retry uploads the folder again.
func TestViewReplacedByHand(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		before := w.Published()["Summer/SKU-1"]
		upload(w, before.UUID, "other.jpg", daemontest.Photo("theirs"))
		w.Write("Summer/SKU-1/1.txt", "A shoe")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool { return products[0].State == status.Attention })
			retry(t, d, w.Key("Summer/SKU-1"))
			until(func(products []status.ProductStatus) bool {
				return products[0].State == status.Published && products[0].Revision > before.Revision+1
			})
		})
		p := w.Published()["Summer/SKU-1"]
		if diff := cmp.Diff(map[string]string{"en": "A shoe"}, p.Images[0].AltTexts); diff != "" {
			t.Error(diff)
		}
	})
}

// upload replaces the images of a product as somebody else would.
func upload(w *daemontest.World, product, name, content string) {
	w.T.Helper()
	c, ctx := w.Client(), w.T.Context()
	form, err := c.Reupload(ctx, product, apiclient.ProductUpdate{}, 1)
	if err == nil {
		err = c.Upload(ctx, form, apiclient.File{
			Name: name, ContentType: "image/jpeg", Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
		})
	}
	if err == nil {
		err = c.FinishUpload(ctx, product)
	}
	if err != nil {
		w.T.Fatal(err)
	}
}
