package daemon_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/publish"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestDriveThatComesBack: at the active station a drive that was away may show what was there before. A
// folder that lacks a photo then waits for a person; one that lost it while the drive was there does not.
func TestDriveThatComesBack(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg")
		fleet := &daemon.Fleet{
			Now: func() status.Fleet { return status.Fleet{} }, Accept: func(string) bool { return false }, Views: publish.NewViews(),
		}
		d, end := w.OpenWith(daemon.Options{Fleet: fleet}, daemontest.Committing)
		defer end()
		defer daemontest.Start(t, d)()
		until := w.Awaiting(d)
		images := func(n int) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				return count(products, status.Published) == 1 && products[0].Images == n
			}
		}
		until(images(3))
		w.Remove("Summer/SKU-1/3.jpg")
		until(images(2))
		putAway(w, func() {
			for !d.Status().Roots[0].Offline() {
				time.Sleep(time.Second)
			}
			if err := os.Remove(filepath.Join(w.Root+".aside", "Summer", "SKU-1", "2.jpg")); err != nil {
				t.Fatal(err)
			}
		})
		until(func(products []status.ProductStatus) bool { return products[0].Cause.Is(status.ViewBehind) })
		if n := countOp(w.Calls.Since(), sandbox.FinishUpload); n != 2 {
			t.Errorf("%d finishes, want the two before", n)
		}
		if err := d.Do(daemon.Retry, syncstate.Folder{Root: w.Root, Path: "Summer/SKU-1"}); err != nil {
			t.Fatal(err)
		}
		until(images(1))
	})
}
