package daemon_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
)

const withProducts = shortQuiet + `products = "products.csv"
`

// fields are what a product's view is called on the service.
func fields(w *daemontest.World) map[string][3]string {
	w.T.Helper()
	products, err := w.Service.Products()
	if err != nil {
		w.T.Fatal(err)
	}
	found := map[string][3]string{}
	for _, p := range products {
		found[p.SKU] = [3]string{p.Title, p.Manufacturer, p.Year}
	}
	return found
}

// TestProductsFile: the file names what a folder's own name and product.toml do not, also of
// folders that were published before. In a product folder it is neither a photo nor a sidecar.
func TestProductsFile(t *testing.T) {
	const list = "Summer/SKU-1/list [1].csv"
	daemontest.Story(t, shortQuiet+`products = "`+list+"\"\n", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg", "Summer/SKU-3/1.jpg", "Summer/SKU-4/1.jpg")
		w.Write("Summer/SKU-2/product.toml", "title = \"Boot of its own\"\nframes = 1\n")
		w.Write(list, "sku;title;manufacturer;year;frames\nSKU-1;Shoe;Acme;2027;\nSKU-2;Boot;Acme;;3\nSKU-4;Hat;;;\n")
		if p := w.Published()["Summer/SKU-1"]; p.Reason != "" || len(p.Images) != 1 {
			t.Errorf("the folder with the file has %d images and is told as %q", len(p.Images), p.Reason)
		}
		want := map[string][3]string{
			"SKU-1": {"Shoe", "Acme", "2027"}, "SKU-2": {"Boot of its own", "Acme", ""}, "SKU-3": {"SKU-3", "", ""}, "SKU-4": {"Hat", "", ""},
		}
		if diff := cmp.Diff(want, fields(w)); diff != "" {
			t.Error(diff)
		}
		w.Calls.Since()

		w.Write(list, "sku;title;manufacturer;year\nSKU-1;Sandal;Acme;2028\nSKU-2;Boots;Acme;\nSKU-4;Hat;;\n") // while nobody runs
		w.Published()
		want["SKU-1"] = [3]string{"Sandal", "Acme", "2028"}
		if diff := cmp.Diff(want, fields(w)); diff != "" {
			t.Error(diff)
		}
		if got, want := w.Calls.Since(), []string{sandbox.UpdateProduct}; !slices.Equal(got, want) {
			t.Errorf("for one row that is another: %v, want %v", got, want)
		}
		w.Published()
		if got := w.Calls.Since(); len(got) > 0 {
			t.Errorf("for a file that is the same: %v", got)
		}
	})
}

// TestProductsFileChangesWhileTheDaemonRuns also by a mistake, which is about its own row alone,
// and by a file that is wrong as a whole. Once a row is corrected its folder goes on by itself.
func TestProductsFileChangesWhileTheDaemonRuns(t *testing.T) {
	daemontest.Story(t, withProducts, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
		w.Write("products.csv", "folder,title,frames\nSummer/SKU-1,Shoe,2\n")
		told := func(folder string, state status.State, reason string) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
					return p.Folder == folder && p.State == state && strings.Contains(p.Reason, reason)
				})
			}
		}
		titled := func(title string) func([]status.ProductStatus) bool {
			return func(products []status.ProductStatus) bool {
				return count(products, status.Published) == 2 && products[0].Title == title
			}
		}
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool {
				return len(products) == 2 && products[0].Frames.Expected == 2 && products[1].State == status.Published
			})
			w.Shoot("a", "Summer/SKU-1/2.jpg")
			until(titled("Shoe"))
			w.Calls.Spoil(daemontest.Always(sandbox.UpdateProduct, sandbox.Fault{Status: 422, Body: `{"errors":["the title is too long"]}`}))
			w.Write("products.csv", "folder,title\nSummer/SKU-1,A title that is too long\n")
			until(told("Summer/SKU-1", status.Attention, "the title is too long"))
			w.Calls.Spoil(nil)
			w.Write("products.csv", "folder,title\nSummer/SKU-1,Sandal\n")
			until(titled("Sandal"))
			w.Write("products.csv", "folder,title,frames\nSummer/SKU-1,Sandal,some\n")
			until(told("Summer/SKU-1", status.Attention, `products.csv: line 2: frames: "some" is no number`))
			until(told("Summer/SKU-2", status.Published, ""))
			w.Write("products.csv", "folder,title\nSummer/SKU-1,Sandal\n")
			until(titled("Sandal"))
			w.Write("products.csv", "title\nSandal\n")
			until(told("Summer/SKU-2", status.Attention, "products.csv: line 1: the first line has to name"))
			until(told("Summer/SKU-1", status.Attention, "products.csv: line 1: the first line has to name"))
			w.Write("products.csv", "folder,title\n")
			until(titled("SKU-1"))
			w.Remove("products.csv")
			until(told("Summer/SKU-1", status.Attention, "products.csv: the file is not there"))
		})
	})
}

// TestProductsFileThatIsBeingWritten: nothing is published by a file that is not whole yet.
func TestProductsFileThatIsBeingWritten(t *testing.T) {
	daemontest.Story(t, withProducts, func(t *testing.T, w *daemontest.World) {
		w.Settle = "3s"
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Age("Summer/SKU-1/1.jpg", "Summer/SKU-1", "Summer")
		w.Write("products.csv", "sku,title\n")
		w.While(func(_ *daemon.Daemon, until daemontest.Await) {
			until(func(products []status.ProductStatus) bool {
				return len(products) == 1 && strings.Contains(products[0].Reason, "products.csv is being written")
			})
			w.Write("products.csv", "sku,title\nSKU-1,Shoe\n")
			until(daemontest.In(status.Published, 1))
		})
		if got := fields(w)["SKU-1"][0]; got != "Shoe" || slices.Contains(w.Calls.Since(), sandbox.UpdateProduct) {
			t.Errorf("the title is %q, or was another one before", got)
		}
	})
}

// TestProductsFileThatStaysHeld: neither a pass nor a rebuild waits until another program lets the
// products file go. Its folders wait.
func TestProductsFileThatStaysHeld(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system has another error for it")
	}
	for name, pass := range map[string]func(*daemontest.World) error{
		"sync":    func(w *daemontest.World) error { _, err := w.Sync(); return err },
		"rebuild": func(w *daemontest.World) error { _, err := w.Rebuild(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, withProducts, func(t *testing.T, w *daemontest.World) {
				w.Write("products.csv", "sku,title\nSKU-1,Shoe\n")
				w.Shoot("a", "Summer/SKU-1/1.jpg")
				held, letGo := context.WithTimeout(t.Context(), time.Hour)
				defer letGo()
				w.Spoil = func(path string) error {
					if strings.HasSuffix(path, ".csv") && held.Err() == nil {
						return syscall.EBUSY
					}
					return nil
				}
				err := pass(w)
				if held.Err() != nil {
					t.Error("it waited until the file was let go")
				}
				if unpublished := errors.Is(err, daemon.ErrUnpublished); unpublished != (name == "sync") {
					t.Errorf("it ends with %v", err)
				}
				if r := w.Record("Summer/SKU-1"); !r.Shown.Cause.Is(status.AwaitsFile) {
					t.Errorf("the folder is %s: %s", r.Shown.State, plantest.Words(r.Shown.Cause))
				}
			})
		})
	}
}
