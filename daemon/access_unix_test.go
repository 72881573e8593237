//go:build unix

package daemon_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestWhatMayNotBeReadNeedsAPerson: a photo, a product folder and a directory above product folders
// are told each with place, account and command, and published once the right is given. Nothing of
// what was published before is taken for gone.
func TestWhatMayNotBeReadNeedsAPerson(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Closed/old/1.jpg")
	w.published()
	w.shoot("a", "Closed/new/1.jpg", "Summer/photo/1.jpg", "Summer/photo/2.jpg", "Summer/folder/1.jpg", "Summer/good/1.jpg")
	barred := map[string]string{"Summer/photo": "Summer/photo/2.jpg", "Summer/folder": "Summer/folder", "Closed": "Closed"}
	for _, place := range barred {
		w.chmod(0, place)
	}
	products, err := w.sync()
	if !errors.Is(err, daemon.ErrUnpublished) || products["Summer/good"].State != status.Published {
		t.Errorf("%v, %+v", err, products["Summer/good"])
	}
	if _, exported := products["Closed"]; exported || products["Closed/old"].State != status.Published {
		t.Errorf("the export has %+v", products)
	}
	w.while(func(d *daemon.Daemon, until await) {
		until(func(all []status.ProductStatus) bool {
			for _, p := range all {
				place, is := barred[p.Folder]
				for _, want := range []string{"the account ", " may not read " + w.path(place) + "; ", "give it the right with `chmod -R u+rX " + w.root} {
					if is && !strings.Contains(p.Reason, want) {
						return false
					}
				}
			}
			return count(all, status.Attention) == len(barred) && len(all) == 5
		})
		for _, place := range barred {
			w.chmod(0o700, place)
		}
		retry(t, d, syncstate.Folder{})
		until(func(all []status.ProductStatus) bool { return count(all, status.Published) == 5 && len(all) == 5 })
	})
	if got := len(w.titles()); got != 5 {
		t.Errorf("%d products on the service", got)
	}
}

func (w *world) chmod(mode os.FileMode, name string) {
	w.t.Helper()
	if err := os.Chmod(w.path(name), mode); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.Chmod(w.path(name), 0o700) })
}

// TestRebuildOfARootThatIsNotReadWhole: a directory above product folders that cannot be read may hold
// folders that no comparison has seen. The root stays unknown, so that the next pass compares them.
func TestRebuildOfARootThatIsNotReadWhole(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Closed/old/1.jpg", "Summer/SKU-1/1.jpg")
	w.published()
	w.chmod(0, "Closed")
	must(t, os.Remove(w.state))
	if found, err := w.rebuild(); err == nil || found["Closed"].Does != "failed" {
		t.Errorf("it ends with %v, and finds %+v", err, found)
	}
	w.inStore(func(store *syncstate.Store) error {
		root, err := store.Root(w.root)
		if root.Known {
			t.Error("the root counts as known")
		}
		return err
	})
}
