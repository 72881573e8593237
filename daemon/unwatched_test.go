package daemon_test

import (
	"testing"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestFolderOfARootThatWasArchived: a root is not watched any more, and another one that has long been
// watched gets a folder of the path and name that one below the first had. Where it is that folder, it
// keeps its view. Other photos replace the view once a person says so.
func TestFolderOfARootThatWasArchived(t *testing.T) {
	const archived, folder, sameSize = "Summer/SKU-1", "../elsewhere/Summer/SKU-1", "another shoot, of the same size"
	for name, test := range map[string]struct {
		came      func(*daemontest.World)
		asks      int
		revisions int
	}{
		"the same folder": {func(w *daemontest.World) { w.Move(archived, folder) }, 0, 1},
		"a copy of it":    {func(w *daemontest.World) { w.Write(folder+"/1.jpg", daemontest.Photo("2025"+archived+"/1.jpg")) }, 0, 1},
		"another shoot":   {func(w *daemontest.World) { w.Shoot("2026", folder+"/1.jpg") }, 1, 2},
		sameSize:          {func(w *daemontest.World) { w.Write(folder+"/1.jpg", photoOfOneSize("2026")) }, 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+otherRoot, func(t *testing.T, w *daemontest.World) {
				w.Shoot("2025", archived+"/1.jpg", "../elsewhere/Summer/SKU-2/1.jpg")
				if name == sameSize {
					w.Write(archived+"/1.jpg", photoOfOneSize("2025"))
				}
				before := w.Published()[archived]
				time.Sleep(time.Hour)
				test.came(w)
				c := w.Config()
				c.Watch = c.Watch[1:]
				d, end := w.OpenWith(daemon.Options{Config: c}, daemontest.Committing)
				defer end()
				defer daemontest.Start(t, d)()
				until := w.Awaiting(d)
				if test.asks > 0 {
					until(daemontest.In(status.Attention, test.asks))
					if n := revisionsOf(w, before.UUID); n != 1 {
						t.Errorf("the view has %d revisions before a person says so", n)
					}
					daemontest.Must(t, d.Do(daemon.Retry, syncstate.Folder{Root: c.Watch[0].Path, Path: archived}))
				}
				until(daemontest.In(status.Published, 2))
				if n := revisionsOf(w, before.UUID); n != test.revisions || len(w.Titles()) != 2 {
					t.Errorf("the view has %d revisions, and on the service are %q", n, w.Titles())
				}
			})
		})
	}
}

// photoOfOneSize is a photo that is of one size whatever it shows.
func photoOfOneSize(of string) string {
	photo := daemontest.Photo("a")
	return photo[:2] + "\xff\xfe\x00\x08" + (of + "......")[:6] + photo[2:]
}

// revisionsOf counts the revisions of a product.
func revisionsOf(w *daemontest.World, product string) (n int) {
	w.T.Helper()
	products, err := w.Service.Products()
	daemontest.Must(w.T, err)
	for _, p := range products {
		if p.UUID == product {
			n = len(p.Revisions)
		}
	}
	return n
}
