package daemon_test

import (
	"os"
	"slices"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestForgottenByAPerson: of a folder that is gone the record goes, and the view stays or goes as the
// person says, whatever on_remove is. A folder that is there keeps both.
func TestForgottenByAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		toml string
		verb daemon.Verb
		left []string
	}{
		"forgotten":                     {`on_remove = "keep"`, daemon.Forget, []string{"gone", "stays"}},
		"forgotten in place of deleted": {`on_remove = "delete"`, daemon.Forget, []string{"gone", "other", "stays"}},
		"its view is deleted":           {`on_remove = "keep"`, daemon.DeleteView, []string{"stays"}},
		"its view is deleted, as asked": {`on_remove = "delete"`, daemon.DeleteView, []string{"other", "stays"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet+c.toml)
			w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
			asked := slices.Contains(c.left, "other") // a second one that goes has a person asked
			if asked {
				w.shoot("a", "Summer/other/1.jpg")
			}
			w.published()
			removeAll(t, w.path("Summer/gone"))
			if asked {
				removeAll(t, w.path("Summer/other"))
			}
			w.while(func(d *daemon.Daemon, until await) {
				until(func(products []status.ProductStatus) bool {
					return products[0].Folder == "Summer/gone" && products[0].IsGone() && products[0].DeleteAsked == asked
				})
				must(t, d.Do(c.verb, w.key("Summer/gone")))
				until(func(products []status.ProductStatus) bool { return products[0].Folder != "Summer/gone" })
			})
			if got := w.titles(); !slices.Equal(got, c.left) {
				t.Errorf("on the service: %q, want %q", got, c.left)
			}
		})
	}
}

// TestBackBeforeItIsForgotten: a person's word about a folder that is gone ends when the folder is back.
func TestBackBeforeItIsForgotten(t *testing.T) {
	for _, verb := range []daemon.Verb{daemon.Forget, daemon.DeleteView} {
		t.Run(string(verb), func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/other/1.jpg")
			before := w.published()["Summer/SKU-1"]
			must(t, os.Rename(w.path("Summer/SKU-1"), w.root+"-away"))
			w.runUntil(func(products []status.ProductStatus) bool { return products[0].State == status.Missing })
			w.inStore(func(store *syncstate.Store) error { return daemon.DoRecorded(store, verb, w.key("Summer/SKU-1")) })
			must(t, os.Rename(w.root+"-away", w.path("Summer/SKU-1")))
			w.calls.since()
			w.wantOne(before, w.published()["Summer/SKU-1"], "SKU-1", "other")
			if r := w.record("Summer/SKU-1"); r.Removal != "" {
				t.Errorf("what was said of it is kept: %q", r.Removal)
			}
		})
	}
}
