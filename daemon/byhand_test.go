package daemon_test

import (
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestViewThatSomebodyMadeByHand: a product of a new folder's name that shows something else is replaced
// only when a person says so. A folder with another title gets a view of its own.
func TestViewThatSomebodyMadeByHand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(w *world, d *daemon.Daemon)
		shown  string // by the view that was made by hand, in the end
		titles []string
	}{
		"it is replaced": {func(w *world, d *daemon.Daemon) {
			retry(w.t, d, w.key("Summer/SKU-1"))
		}, "aSummer/SKU-1/1.jpg", []string{"SKU-1", "other"}},
		"it is another product": {func(w *world, _ *daemon.Daemon) {
			w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
		}, "by hand", []string{"Kettle", "SKU-1", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/other/1.jpg")
			project := w.published()["Summer/other"].Project.UUID
			byHand := w.make(project, "SKU-1", "SKU-1", daemontest.Photo("by hand"))
			w.calls.since()
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.while(func(d *daemon.Daemon, until await) {
				until(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 1 })
				retry(t, d, syncstate.Folder{}) // of all answers no question
				until(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 0 })
				until(func(products []status.ProductStatus) bool {
					return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
						return p.State == status.Attention && strings.Contains(p.Reason, "a view of this name that spinsync did not publish")
					})
				})
				if calls := w.calls.since(); slices.Contains(calls, sandbox.UpdateProduct) || slices.Contains(calls, sandbox.Upload) {
					t.Errorf("before the answer the calls were %v", calls)
				}
				c.answer(w, d)
				until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 2 })
			})
			if got := w.titles(); !slices.Equal(got, c.titles) {
				t.Errorf("on the service: %q, want %q", got, c.titles)
			}
			if got := w.shown(byHand); got != sum(daemontest.Photo(c.shown)) {
				t.Errorf("the view shows %s, want %q", got, c.shown)
			}
		})
	}
}

// TestViewMadeByHandOfAnUnfinishedFolder: what arrives frame by frame is compared once it is complete,
// and a view that shows just these photos is not uploaded again.
func TestViewMadeByHandOfAnUnfinishedFolder(t *testing.T) {
	w := newWorld(t, "frames = 2\nquiet = \"2s\"\n")
	w.shoot("a", "Summer/other/1.jpg", "Summer/other/2.jpg")
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	before := w.published()["Summer/SKU-1"]
	w.inStore(func(store *syncstate.Store) error { return store.Delete(w.key("Summer/SKU-1")) })
	remove(t, w.path("Summer/SKU-1/2.jpg"))
	w.calls.since()
	w.while(func(_ *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { // its product is found
			return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
				return p.State == status.Collecting && p.Product == before.UUID
			})
		})
		w.shoot("a", "Summer/SKU-1/2.jpg")
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 2 })
	})
	w.wantOne(before, w.published()["Summer/SKU-1"], "SKU-1", "other")
}
