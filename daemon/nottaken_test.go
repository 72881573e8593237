package daemon_test

import (
	"errors"
	"os"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/layout"
	"spinsync/daemon/status"
)

// TestPhotosNobodyTakes: a folder with nothing but raw files, and photos that lie where no product
// folder is expected, need a person; a single photo of another kind beside frames is named.
func TestPhotosNobodyTakes(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/mixed/1.jpg", "SKU-1/1.jpg", "SKU-1/2.jpg", "0.jpg", "Summer/mixed/old/1.jpg")
		w.Write("Summer/mixed/2.HEIC", "heic")
		w.Write("Summer/mixed/1.CR3", "the same photo as 1.jpg")
		w.Write("Summer/raw/1.NEF", "raw")
		w.Write("Summer/raw/2.NEF", "raw")
		const heic = "not usable: 2.HEIC (HEIC; set the camera to JPEG, or convert it)"
		want := map[string]string{
			".":                "shoots is the watched folder itself; product folders belong at project/sku; its photo 0.jpg is not used: move it, or change layout or ignore in sync.toml",
			"SKU-1":            "shoots/SKU-1 lies directly in the watched folder; product folders belong at project/sku; its 2 photos, such as 1.jpg, are not used: move them, or change layout or ignore in sync.toml",
			"Summer/mixed/old": "shoots/Summer/mixed/old lies in a product folder; product folders belong at project/sku; its photo 1.jpg is not used: move it, or change layout or ignore in sync.toml",
			"Summer/raw":       "no frames; 2 photos are not usable: 1.NEF (a raw file; let the camera or its program write JPEG) and 1 more",
			"Summer/mixed":     heic,
		}
		products, err := w.Sync()
		if !errors.Is(err, daemon.ErrUnpublished) || len(products) != 2 || products["Summer/mixed"].State != status.Published {
			t.Errorf("%v, %+v", err, products)
		}
		told := func(all []status.ProductStatus) bool {
			for _, p := range all {
				if p.Reason != want[p.Folder] {
					return false
				}
			}
			return len(all) == len(want) && count(all, status.Attention) == 4
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(told)
			for _, p := range d.Status().Products {
				if p.Folder == "Summer/mixed" && (p.NotTaken == nil || p.NotTaken.Count != 1 || p.NotTaken.Files[0].File != "2.HEIC") {
					t.Errorf("ignored: %+v", p.NotTaken)
				}
			}
		})
		w.Remove("0.jpg")
		w.Remove("Summer/mixed/2.HEIC")
		for _, dir := range []string{"SKU-1", "Summer/mixed/old", "Summer/raw"} {
			if err := os.RemoveAll(w.Path(dir)); err != nil {
				t.Fatal(err)
			}
		}
		if products := w.Published(); len(products) != 1 || products["Summer/mixed"].Reason != "" {
			t.Errorf("after all was mended: %+v", products)
		}
	})
}

// TestAnotherLayoutRemovesNothing: product folders of an earlier layout are shown as
// misplaced, and their views stay.
func TestAnotherLayoutRemovesNothing(t *testing.T) {
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "SKU-1/1.jpg", "SKU-2/1.jpg")
		c := w.Config()
		c.Watch[0].Project = "Summer"
		var err error
		if c.Watch[0].Layout, err = layout.Parse("{sku}"); err != nil {
			t.Fatal(err)
		}
		d, end := w.OpenWith(daemon.Options{Config: c}, daemontest.Committing)
		err = d.Sync(t.Context())
		end()
		if err != nil {
			t.Fatal(err)
		}
		products, err := w.Sync()
		if !errors.Is(err, daemon.ErrUnpublished) || products["SKU-1"].State != status.Attention || len(products["SKU-1"].Images) != 1 {
			t.Errorf("%v, %+v", err, products["SKU-1"])
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 2))
			if err := os.RemoveAll(w.Path("SKU-1")); err != nil {
				t.Fatal(err)
			}
			if err := d.Pass(t.Context()); !errors.Is(err, daemon.ErrUnpublished) {
				t.Error(err)
			}
			until(func(all []status.ProductStatus) bool { return len(all) == 2 && all[0].State == status.Published })
		})
		if got := w.Titles(); len(got) != 2 {
			t.Errorf("the service has %q", got)
		}
	})
}
