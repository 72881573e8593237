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

// TestWhatMayNotBeReadNeedsAPerson: for a photo, a product folder and a directory above product
// folders the status names place, account and command. They are published once the right is given.
// Nothing that was published before counts as gone, and a copy of it is a folder of its own.
func TestWhatMayNotBeReadNeedsAPerson(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	daemontest.Story(t, shortQuiet+`on_remove = "delete"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Closed/old/1.jpg")
		w.Published()
		w.Shoot("a", "Closed/new/1.jpg", "Summer/photo/1.jpg", "Summer/photo/2.jpg", "Summer/folder/1.jpg", "Summer/good/1.jpg")
		w.Write("Summer/copy/1.jpg", daemontest.Photo("aClosed/old/1.jpg"))
		barred := map[string]string{"Summer/photo": "Summer/photo/2.jpg", "Summer/folder": "Summer/folder", "Closed": "Closed"}
		for _, place := range barred {
			chmod(w, 0, place)
		}
		products, err := w.Sync()
		if !errors.Is(err, daemon.ErrUnpublished) || products["Summer/good"].State != status.Published || products["Summer/copy"].State != status.Published {
			t.Errorf("%v, %+v, %+v", err, products["Summer/good"], products["Summer/copy"])
		}
		if _, exported := products["Closed"]; exported || products["Closed/old"].State != status.Published {
			t.Errorf("the export has %+v", products)
		}
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(func(all []status.ProductStatus) bool {
				for _, p := range all {
					place, is := barred[p.Folder]
					for _, want := range []string{"the account ", " cannot read " + w.Path(place) + "; ", "give it the right with `chmod -R u+rX " + w.Root} {
						if is && !strings.Contains(p.Reason, want) {
							return false
						}
					}
				}
				return count(all, status.Attention) == len(barred) && len(all) == 6
			})
			for _, place := range barred {
				chmod(w, 0o700, place)
			}
			retry(t, d, syncstate.Folder{})
			until(func(all []status.ProductStatus) bool { return count(all, status.Published) == 6 && len(all) == 6 })
		})
		if got := len(w.Titles()); got != 6 {
			t.Errorf("%d products on the service", got)
		}
	})
}

func chmod(w *daemontest.World, mode os.FileMode, name string) {
	w.T.Helper()
	if err := os.Chmod(w.Path(name), mode); err != nil {
		w.T.Fatal(err)
	}
	w.T.Cleanup(func() { os.Chmod(w.Path(name), 0o700) })
}

// TestRebuildOfARootThatIsNotReadWhole: a directory above product folders that cannot be read may hold
// folders that no comparison has seen. The root stays unknown, so that the next pass compares them.
func TestRebuildOfARootThatIsNotReadWhole(t *testing.T) {
	if daemontest.AsOrdinaryUser(t) {
		return
	}
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Closed/old/1.jpg", "Summer/SKU-1/1.jpg")
		w.Published()
		chmod(w, 0, "Closed")
		daemontest.Must(t, os.Remove(w.State))
		if found, err := w.Rebuild(); err == nil || found["Closed"].Does != "failed" {
			t.Errorf("it ends with %v, and finds %+v", err, found)
		}
		w.InStore(func(store *syncstate.Store) error {
			root, err := store.Root(w.Root)
			if root.Known {
				t.Error("the root counts as known")
			}
			return err
		})
	})
}
