package daemon_test

import (
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// backup copies the state file, and returns what puts the copy back.
func (w *world) backup() (restore func()) {
	w.t.Helper()
	data, err := os.ReadFile(w.state)
	if err != nil {
		w.t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(w.state, data, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestBackupOfAnotherShoot: a folder that is again as a backup of the state file tells, while the
// view shows what came in between, is uploaded again, with its title; and one whose view shows just
// what it holds is not.
func TestBackupOfAnotherShoot(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	product := w.published()["Summer/SKU-1"].UUID
	restore := w.backup()
	old, err := os.Stat(w.path("Summer/SKU-1/1.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	w.shoot("b", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
	w.published()
	restore()
	w.shoot("a", "Summer/SKU-1/1.jpg")
	if err := os.Chtimes(w.path("Summer/SKU-1/1.jpg"), old.ModTime(), old.ModTime()); err != nil {
		t.Fatal(err)
	}
	remove(t, w.path("Summer/SKU-1/product.toml"))
	w.calls.since()
	w.published()
	if got, want := w.shown(product), sum(daemontest.Photo("aSummer/SKU-1/1.jpg")); got != want {
		t.Errorf("the view shows %s, the folder holds %s", got, want)
	}
	if got, want := w.titles(), []string{"SKU-1", "SKU-2"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
	uploads := slices.DeleteFunc(w.calls.since(), func(op string) bool { return op != "4.3" })
	if len(uploads) != 1 {
		t.Errorf("%d frames were uploaded, one had to be", len(uploads))
	}
	w.calls.since()
	w.published()
	if calls := w.calls.since(); len(calls) > 0 {
		t.Errorf("a pass later there were calls: %v", calls)
	}
}

// TestBackupBeforeTheView: a folder with another title and other photos than the view that was made
// since the backup gets none before a person says whose the view is.
func TestBackupBeforeTheView(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(w *world, d *daemon.Daemon)
		want   []string
	}{
		"the folder's": {func(w *world, _ *daemon.Daemon) {
			w.write("Summer/SKU-1/product.toml", "title = \"Teapot\"\n")
		}, []string{"Teapot", "other"}},
		"another's": {func(w *world, d *daemon.Daemon) {
			retry(w.t, d, w.key("Summer/SKU-1"))
		}, []string{"Kettle", "Teapot", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/other/1.jpg")
			w.published()
			restore := w.backup()
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.write("Summer/SKU-1/product.toml", "title = \"Teapot\"\n")
			w.published()
			restore()
			w.shoot("b", "Summer/SKU-1/1.jpg")
			w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
			w.while(func(d *daemon.Daemon, until await) {
				until(func(products []status.ProductStatus) bool {
					return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
						return p.State == status.Attention && strings.Contains(p.Reason, "SKU SKU-1, title Teapot; if it is this folder's")
					})
				})
				c.answer(w, d)
				until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 2 })
			})
			if got := w.titles(); !slices.Equal(got, c.want) {
				t.Errorf("on the service: %q, want %q", got, c.want)
			}
		})
	}
}

// TestBackupOfAViewThatIsGone: the view that a backup tells of was deleted and made anew since; the
// folder takes the new one. Where there is none, nothing is made before a person says so.
func TestBackupOfAViewThatIsGone(t *testing.T) {
	t.Parallel()
	for name, anew := range map[string]bool{"made anew": true, "deleted": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			first := w.published()["Summer/SKU-1"]
			restore := w.backup()
			w.published()
			if err := w.client().DeleteProduct(t.Context(), first.UUID); err != nil {
				t.Fatal(err)
			}
			if anew {
				w.make(first.Project.UUID, "SKU-1", "SKU-1", daemontest.Photo("aSummer/SKU-1/1.jpg"))
			}
			restore()
			w.while(func(d *daemon.Daemon, until await) {
				if !anew {
					until(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 1 })
					retry(t, d, w.key("Summer/SKU-1"))
				}
				until(func(products []status.ProductStatus) bool {
					return count(products, status.Published) == 1 && products[0].Product != first.UUID
				})
			})
			if got, want := w.titles(), []string{"SKU-1"}; !slices.Equal(got, want) {
				t.Errorf("on the service: %q, want %q", got, want)
			}
		})
	}
}

// TestBackupDeletesNoView: the folder that a backup tells of got another name and other photos
// since. Its view is not deleted.
func TestBackupDeletesNoView(t *testing.T) {
	w := newWorld(t, shortQuiet+"on_remove = \"delete\"\n")
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/other/1.jpg")
	w.published()
	restore := w.backup()
	if err := os.Rename(w.path("Summer/SKU-1"), w.path("Summer/SKU-9")); err != nil {
		t.Fatal(err)
	}
	w.published()
	restore()
	w.write("Summer/SKU-9/1.jpg", "half of another pho")
	w.runUntil(func(products []status.ProductStatus) bool {
		return slices.ContainsFunc(products, func(p status.ProductStatus) bool {
			return p.Folder == "Summer/SKU-1" && p.State == status.Attention && strings.Contains(p.Reason, "from a backup")
		})
	})
	if got, want := w.titles(), []string{"SKU-9", "other"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestBackupOfARunThatWasReplaced: what was sent under a form that the backup does not know is not
// published, though the backup tells of a form of its own.
func TestBackupOfARunThatWasReplaced(t *testing.T) {
	w := newWorld(t, shortQuiet+"[upload]\nparallel = 1\n")
	photos := []string{"Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg", "Summer/SKU-1/3.jpg"}
	w.shoot("a", photos...)
	w.published()
	w.shoot("b", photos...)
	w.breakOffAtUpload(1)
	w.amend("Summer/SKU-1", func(r *syncstate.Record) { r.Run.Frames = nil }) // as just after the form came
	restore := w.backup()
	w.breakOffAtUpload(2)
	w.shoot("c", photos...)
	w.breakOffAtUpload(3)
	restore()
	w.calls.setSpoil(nil)
	w.published()
	products, err := w.service.Products()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range products[0].Revisions {
		if len(r.Files) != len(photos) {
			t.Errorf("revision %d has %d photos of %d", r.Number, len(r.Files), len(photos))
		}
	}
	if got, want := w.shown(products[0].UUID), sum(daemontest.Photo("cSummer/SKU-1/1.jpg")); got != want {
		t.Errorf("the view shows %s, the folder holds %s", got, want)
	}
}

// breakOffAtUpload runs the daemon until it sends the nth photo, which is not heard any more.
func (w *world) breakOffAtUpload(nth int) {
	w.t.Helper()
	reached := make(chan struct{})
	reach := sync.OnceFunc(func() { close(reached) })
	uploads := 0
	w.calls.setSpoil(func(c *sandbox.Call) sandbox.Fault {
		if c.Op == "4.3" {
			uploads++
		}
		if uploads < nth {
			return sandbox.Fault{}
		}
		reach()
		return sandbox.Fault{DropBefore: true}
	})
	w.while(func(*daemon.Daemon, await) { <-reached })
}

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
	t.Parallel()
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
