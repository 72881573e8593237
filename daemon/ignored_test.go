package daemon_test

import (
	"path"
	"testing"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

func isShort(p status.ProductStatus) bool { return p.State == status.Attention }

// TestIgnoredFolderIsLeftAlone: a folder that needs a person, and that sync.toml ignores from now on,
// is not listed, and no pass fails for it. It is known again once sync.toml ignores it no more.
func TestIgnoredFolderIsLeftAlone(t *testing.T) {
	daemontest.Story(t, "frames = 3\n"+shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/A/1.jpg", "Summer/A/2.jpg")
		w.Shoot("b", "Summer/B/1.jpg", "Summer/B/2.jpg", "Summer/B/3.jpg")
		r, before := live(w), w.TOML
		r.until(isShort)
		w.TOML += "ignore = [\"A\"]\n"
		r.reload(func() {})
		if err := r.Pass(t.Context()); err != nil {
			t.Errorf("a pass ends with %v", err)
		}
		if all := r.Daemon().Status().Products; len(all) != 1 || all[0].Folder != "Summer/B" {
			t.Errorf("listed are %+v", all)
		}
		w.TOML = before
		r.reload(func() {})
		r.until(isShort)
	})
}

// TestIgnoredFolderOfABrokenPass: a pass is broken off while a folder is uploaded, and then sync.toml
// ignores the folder. Without a daemon it is not listed either, and the next pass succeeds.
func TestIgnoredFolderOfABrokenPass(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/A/1.jpg", "Summer/A/2.jpg")
		breakOff(w)
		w.TOML += "ignore = [\"A\"]\n"
		w.InStore(func(store *syncstate.Store) error {
			recorded, err := daemon.RecordedStatus(w.Config(), store)
			if len(recorded.Products) > 0 {
				t.Errorf("listed are %+v", recorded.Products)
			}
			return err
		})
		if _, err := w.Sync(); err != nil {
			t.Errorf("the next pass ends with %v", err)
		}
	})
}

// TestIgnoredFolderGetsAnotherPlace: under a name that sync.toml does not ignore, or in a watched folder
// that does not ignore it, it keeps its view.
func TestIgnoredFolderGetsAnotherPlace(t *testing.T) {
	for _, to := range []string{"Summer/B", "../elsewhere/Summer/A"} {
		t.Run(path.Base(path.Dir(path.Dir(to))), func(t *testing.T) {
			daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
				w.Mkdir("../elsewhere")
				w.Shoot("a", "Summer/A/1.jpg", "Summer/A/2.jpg")
				r := live(w)
				r.until(isPublished)
				product := r.Daemon().Status().Products[0].Product
				w.TOML = shortQuiet + "ignore = [\"A\"]\n" + otherRoot
				r.reload(func() {})
				w.Move("Summer/A", to)
				r.until(isPublished)
				if is := r.Daemon().Status().Products[0]; is.Product != product {
					t.Errorf("it has product %s, and had %s", is.Product, product)
				}
			})
		})
	}
}
