package daemon_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/status"
)

const withProducts = shortQuiet + `products = "products.csv"
`

// fields are what a product's view is called on the service.
func (w *world) fields() map[string][3]string {
	w.t.Helper()
	products, err := w.service.Products()
	if err != nil {
		w.t.Fatal(err)
	}
	found := map[string][3]string{}
	for _, p := range products {
		found[p.SKU] = [3]string{p.Title, p.Manufacturer, p.Year}
	}
	return found
}

// TestProductsFile: the file names what a folder's own name and product.toml do not, also of
// folders that were published before.
func TestProductsFile(t *testing.T) {
	w := newWorld(t, withProducts)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg", "Summer/SKU-3/1.jpg", "Summer/SKU-4/1.jpg")
	w.write("Summer/SKU-2/product.toml", `title = "Boot of its own"`)
	w.write("products.csv", "sku;title;manufacturer;year\nSKU-1;Shoe;Acme;2027\nSKU-2;Boot;Acme;\nSKU-4;Hat;;\n")
	w.published()
	want := map[string][3]string{
		"SKU-1": {"Shoe", "Acme", "2027"}, "SKU-2": {"Boot of its own", "Acme", ""}, "SKU-3": {"SKU-3", "", ""}, "SKU-4": {"Hat", "", ""},
	}
	if diff := cmp.Diff(want, w.fields()); diff != "" {
		t.Error(diff)
	}
	w.calls.since()

	w.write("products.csv", "sku;title;manufacturer;year\nSKU-1;Sandal;Acme;2028\nSKU-2;Boots;Acme;\nSKU-4;Hat;;\n") // while nobody runs
	w.published()
	want["SKU-1"] = [3]string{"Sandal", "Acme", "2028"}
	if diff := cmp.Diff(want, w.fields()); diff != "" {
		t.Error(diff)
	}
	if got, want := w.calls.since(), []string{sandbox.UpdateProduct}; !slices.Equal(got, want) {
		t.Errorf("for one row that is another: %v, want %v", got, want)
	}
	w.published()
	if got := w.calls.since(); len(got) > 0 {
		t.Errorf("for a file that is the same: %v", got)
	}
}

// TestProductsFileChangesWhileTheDaemonRuns also by a mistake, which is about its own row alone,
// and by a file that is wrong as a whole.
func TestProductsFileChangesWhileTheDaemonRuns(t *testing.T) {
	w := newWorld(t, withProducts)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	w.write("products.csv", "folder,title\nSummer/SKU-1,Shoe\n")
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
	w.while(func(_ *daemon.Daemon, until await) {
		until(titled("Shoe"))
		w.write("products.csv", "folder,title\nSummer/SKU-1,Sandal\n")
		until(titled("Sandal"))
		w.write("products.csv", "folder,title,frames\nSummer/SKU-1,Sandal,some\n")
		until(told("Summer/SKU-1", status.Attention, `products.csv: line 2: frames: "some" is no number`))
		until(told("Summer/SKU-2", status.Published, ""))
		w.write("products.csv", "folder,title\nSummer/SKU-1,Sandal\n")
		until(titled("Sandal"))
		w.write("products.csv", "title\nSandal\n")
		until(told("Summer/SKU-2", status.Attention, "products.csv: line 1: the first line has to name"))
		until(told("Summer/SKU-1", status.Attention, "products.csv: line 1: the first line has to name"))
		w.write("products.csv", "folder,title\n")
		until(titled("SKU-1"))
		remove(t, w.path("products.csv"))
		until(told("Summer/SKU-1", status.Attention, "products.csv: the file is not there"))
	})
}

// TestFramesOfTheProductsFile: they count as those of product.toml do, which goes before.
func TestFramesOfTheProductsFile(t *testing.T) {
	w := newWorld(t, withProducts)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	w.write("Summer/SKU-2/product.toml", "frames = 1")
	w.write("products.csv", "sku,frames\nSKU-1,2\nSKU-2,3\n")
	w.while(func(_ *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool {
			return len(products) == 2 && products[0].Frames.Expected == 2 && products[1].State == status.Published
		})
		w.shoot("a", "Summer/SKU-1/2.jpg")
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 2 })
	})
}

// TestRowThatTheServiceRefused: once the row is corrected the folder goes on by itself.
func TestRowThatTheServiceRefused(t *testing.T) {
	w := newWorld(t, withProducts)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.write("products.csv", "sku,title\n")
	w.published()
	w.calls.setSpoil(always(sandbox.UpdateProduct, sandbox.Fault{Status: 422, Body: `{"errors":["the title is too long"]}`}))
	w.write("products.csv", "sku,title\nSKU-1,A title that is too long\n")
	w.while(func(_ *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 1 })
		w.calls.setSpoil(nil)
		w.write("products.csv", "sku,title\nSKU-1,Shoe\n")
		until(func(products []status.ProductStatus) bool {
			return count(products, status.Published) == 1 && products[0].Title == "Shoe"
		})
	})
}

// TestProductsFileThatIsBeingWritten: nothing is published by a file that is not whole yet.
func TestProductsFileThatIsBeingWritten(t *testing.T) {
	w := newWorld(t, withProducts)
	w.settle = "3s" // even a busy machine starts and reads the folder in it
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.age("Summer/SKU-1/1.jpg", "Summer/SKU-1", "Summer")
	file, err := os.Create(w.path("products.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write := func(text string) {
		t.Helper()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write("sku,title\n")
	w.while(func(_ *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool {
			return len(products) == 1 && strings.Contains(products[0].Reason, "products.csv is being written")
		})
		write("SKU-1,Shoe\n")
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
	})
	if got := w.fields()["SKU-1"][0]; got != "Shoe" || slices.Contains(w.calls.since(), sandbox.UpdateProduct) {
		t.Errorf("the title is %q, or was another one before", got)
	}
}

// TestProductsFileIsNoSidecar: in a product folder it is neither a photo nor a sidecar.
func TestProductsFileIsNoSidecar(t *testing.T) {
	w := newWorld(t, shortQuiet+`products = "Summer/SKU-1/list [1].csv"
`)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.write("Summer/SKU-1/list [1].csv", "sku,title\nSKU-1,Shoe\n")
	p := w.published()["Summer/SKU-1"]
	if p.Title != "Shoe" || p.Reason != "" || len(p.Images) != 1 {
		t.Errorf("%s with %d images is told as %q", p.Title, len(p.Images), p.Reason)
	}
}
