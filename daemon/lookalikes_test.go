package daemon_test

import (
	"os"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// retitled is the view of a folder. It got another title on the service, and then the state file was lost.
func retitled(t *testing.T, w *daemontest.World) (product string) {
	w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.Write("Summer/SKU-1/done.txt", "")
	for _, p := range w.Published() {
		product = p.UUID
	}
	title := "Kettle"
	daemontest.Must(t, w.Client().UpdateProduct(t.Context(), product, apiclient.ProductUpdate{Title: &title}))
	daemontest.Must(t, os.Remove(w.State))
	w.Calls.Since()
	return product
}

// TestViewThatMayBeItsOwnIsComparedSeldom: a folder that waits for a person with a view that may be its
// own downloads that view once more, and then asks the service for nothing until the next day.
func TestViewThatMayBeItsOwnIsComparedSeldom(t *testing.T) {
	for name, test := range map[string]struct {
		toml      string
		lacks     string // a photo
		downloads int
	}{
		"shot again":      {toml: shortQuiet, downloads: 2},
		"a photo is gone": {toml: shortQuiet + "frames = 2\n", lacks: "Summer/SKU-1/2.jpg"},
		"it has a marker": {toml: shortQuiet + "frames = 2\nmarker = \"done.txt\"\n", lacks: "Summer/SKU-1/2.jpg"},
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, test.toml, func(t *testing.T, w *daemontest.World) {
				retitled(t, w)
				w.Shoot("b", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
				if test.lacks != "" {
					w.Remove(test.lacks)
				}
				w.While(func(d *daemon.Daemon, until daemontest.Await) {
					until(daemontest.In(status.Attention, 1))
					time.Sleep(time.Hour)
					if n := countOp(w.Calls.Since(), sandbox.DownloadSources); n != test.downloads {
						t.Errorf("the view was downloaded %d times", n)
					}
					time.Sleep(23 * time.Hour)
					if calls := w.Calls.Since(); len(calls) > 0 {
						t.Errorf("%d requests in a day, %q first", len(calls), calls[0])
					}
				})
			})
		})
	}
}

// TestViewWhoseFolderComesLate: a folder that waits for a person with a view goes live by itself within a
// day after that view's own folder came, for instance with its drive.
func TestViewWhoseFolderComesLate(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/Kettle/1.jpg")
		w.Write("Summer/Kettle/product.toml", "sku = \"SKU-1\"\ntitle = \"Kettle\"\n")
		w.Published()
		w.Move("Summer/Kettle", "../Kettle")
		daemontest.Must(t, os.Remove(w.State))
		w.Shoot("b", "Summer/SKU-1/1.jpg")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			time.Sleep(2 * time.Hour)
			w.Move("../Kettle", "Summer/Kettle")
			time.Sleep(24 * time.Hour)
			if !daemontest.In(status.Published, 2)(d.Status().Products) {
				t.Errorf("%+v", d.Status().Products)
			}
		})
	})
}

// TestProductOfAnotherFolderIsLookedForSeldom: a folder that names the product of another one does not list
// the products each minute for as long as nobody corrects that, and goes live by itself once somebody does.
func TestProductOfAnotherFolderIsLookedForSeldom(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Published()
		w.Shoot("b", "Summer/SKU-2/1.jpg")
		w.Write("Summer/SKU-2/product.toml", "sku = \"SKU-1\"\ntitle = \"SKU-1\"\n")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Attention, 1))
			w.Calls.Since()
			time.Sleep(24 * time.Hour)
			if calls := w.Calls.Since(); len(calls) > 150 {
				t.Errorf("%d requests in a day, %q first", len(calls), calls[0])
			}
			w.Write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
			time.Sleep(11 * time.Minute)
			if !daemontest.In(status.Published, 2)(d.Status().Products) {
				t.Errorf("%+v", d.Status().Products)
			}
		})
	})
}

// TestOnlyAWholeSetIsComparedWithLookalikes: a folder that waits for its frames and its marker asks for
// nothing, although a view may be its own, and gets that view once it is complete.
func TestOnlyAWholeSetIsComparedWithLookalikes(t *testing.T) {
	daemontest.Story(t, shortQuiet+"frames = 2\nmarker = \"done.txt\"\n", func(t *testing.T, w *daemontest.World) {
		product := retitled(t, w)
		w.Remove("Summer/SKU-1/2.jpg", "Summer/SKU-1/done.txt")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Collecting, 1))
			time.Sleep(time.Minute)
			w.Calls.Since()
			time.Sleep(time.Hour)
			if calls := w.Calls.Since(); len(calls) > 0 {
				t.Errorf("%d requests in an hour, %q first", len(calls), calls[0])
			}
			if p := d.Status().Products[0]; !p.Cause.Is(status.AwaitsMarker) {
				t.Errorf("it is %s: %s", p.State, p.Reason)
			}
			w.Shoot("a", "Summer/SKU-1/2.jpg")
			w.Write("Summer/SKU-1/done.txt", "")
			until(daemontest.In(status.Published, 1))
			if p := d.Status().Products[0]; p.Product != product {
				t.Errorf("it has the view %s, not %s", p.Product, product)
			}
		})
	})
}
