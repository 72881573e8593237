package daemon_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
)

// TestFormerTitle: a folder that the state file does not know, and whose title is another one than
// its product's, gets no second product.
func TestFormerTitle(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.write("Summer/SKU-1/product.toml", "title = \"Teapot\"\n")
	before := w.published()["Summer/SKU-1"]
	remove(t, w.state)
	w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
	w.calls.since()
	after := w.published()["Summer/SKU-1"]
	if got, want := w.titles(), []string{"Kettle"}; !slices.Equal(got, want) || after.UUID != before.UUID {
		t.Errorf("on the service: %q, want %q; %s became %s", got, want, before.UUID, after.UUID)
	}
	if slices.Contains(w.calls.since(), "4.3") {
		t.Error("what is there was uploaded again")
	}
}

// TestFormerTitleOfASetThatStood: a set of known count is begun before it is seen at rest, and is
// held against the product that it may be only when it is.
func TestFormerTitleOfASetThatStood(t *testing.T) {
	w := newWorld(t, "frames = 2\n"+shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.write("Summer/SKU-1/product.toml", "title = \"Teapot\"\n")
	before := w.published()["Summer/SKU-1"]
	remove(t, w.state)
	w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
	w.age("Summer/SKU-1", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/product.toml")
	w.calls.since()
	w.settle = "500ms"
	after := w.published()["Summer/SKU-1"]
	if got, want := w.titles(), []string{"Kettle"}; !slices.Equal(got, want) || after.UUID != before.UUID {
		t.Errorf("on the service: %q, want %q; %s became %s", got, want, before.UUID, after.UUID)
	}
	if slices.Contains(w.calls.since(), "4.3") {
		t.Error("what is there was uploaded again")
	}
}

// TestProductsOfOneSKU: what only shares the SKU, and holds other photos or cannot be looked into,
// is another product and keeps none from being made.
func TestProductsOfOneSKU(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{"other photos": {}, "no source files": {Status: 500, Body: `{"errors":["no"]}`}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/other/1.jpg")
			project := w.published()["Summer/other"].Project.UUID
			content := daemontest.Photo("theirs")
			if fault.Status != 0 {
				content = daemontest.Photo("aSummer/SKU-1/1.jpg")
			}
			w.make(project, "SKU-1", "Decoy", content)
			w.calls.spoil = always("4.11", fault)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.published()
			if got, want := w.titles(), []string{"Decoy", "SKU-1", "other"}; !slices.Equal(got, want) {
				t.Errorf("on the service: %q, want %q", got, want)
			}
		})
	}
}

// make makes a product of one image as somebody else would.
func (w *world) make(project, sku, title, content string) {
	w.t.Helper()
	c, ctx := w.client(), w.t.Context()
	form, err := c.CreateProduct(ctx, apiclient.NewProduct{Project: project, SKU: sku, Title: title, Images: 1})
	if err == nil {
		err = c.Upload(ctx, form, apiclient.File{
			Name: "1.jpg", ContentType: "image/jpeg", Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
		})
	}
	if err == nil {
		err = c.FinishUpload(ctx, form.UUID)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
