package daemon_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/plan/plantest"
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

// TestBackupOfAnEarlierShoot: where the view shows what the folder holds, though the state file comes
// from a backup and tells of an earlier shoot, nothing is uploaded. The next shoot is.
func TestBackupOfAnEarlierShoot(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	before := w.published()["Summer/SKU-1"]
	restore := w.backup()
	w.shoot("b", "Summer/SKU-1/1.jpg")
	w.published()
	restore()
	w.calls.since()
	w.wantOne(before, w.published()["Summer/SKU-1"], "SKU-1")
	w.shoot("c", "Summer/SKU-1/1.jpg")
	w.published()
	if got, want := w.shown(before.UUID), sum(daemontest.Photo("cSummer/SKU-1/1.jpg")); got != want {
		t.Errorf("the view shows %s, the folder holds %s", got, want)
	}
}

// TestLostBesideAnotherTitle: a folder with another title and other photos than the view that a lost state file
// knew gets none before a person says whose the view is.
func TestLostBesideAnotherTitle(t *testing.T) {
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
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.write("Summer/SKU-1/product.toml", "title = \"Teapot\"\n")
			w.published()
			remove(t, w.state)
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
	if slices.Contains(w.calls.since(), sandbox.Upload) {
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
	if slices.Contains(w.calls.since(), sandbox.Upload) {
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
			w.calls.spoil = always(sandbox.DownloadSources, fault)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.published()
			if got, want := w.titles(), []string{"Decoy", "SKU-1", "other"}; !slices.Equal(got, want) {
				t.Errorf("on the service: %q, want %q", got, want)
			}
		})
	}
}

// make makes a product of one image as somebody else would, and returns its UUID.
func (w *world) make(project, sku, title, content string) string {
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
	return form.UUID
}

// wantOne is for a folder that must have the view that it had, with no photo sent again.
func (w *world) wantOne(before, after status.ExportedProduct, titles ...string) {
	w.t.Helper()
	if got := w.titles(); !slices.Equal(got, titles) || after.UUID != before.UUID {
		w.t.Errorf("on the service: %q, want %q; %s became %s", got, titles, before.UUID, after.UUID)
	}
	if slices.Contains(w.calls.since(), sandbox.Upload) {
		w.t.Error("what is there was uploaded again")
	}
}

// retitled publishes a folder and one beside it, and gives the folder another title while the state
// file gets lost.
func (w *world) retitled() status.ExportedProduct {
	w.t.Helper()
	w.shoot("a", "Summer/other/1.jpg", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	before := w.published()["Summer/SKU-1"]
	remove(w.t, w.state)
	w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
	w.calls.since()
	return before
}

// TestRootHasAnotherPath: where the path of a root changes, each folder is compared with the view
// that it had, nothing is uploaded, and the export has the new paths alone.
func TestRootHasAnotherPath(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	before := w.published()
	must(t, os.Rename(w.root, w.root+"-moved"))
	w.root += "-moved"
	w.calls.since()
	after := w.published()
	w.wantOne(before["Summer/SKU-1"], after["Summer/SKU-1"], "SKU-1", "SKU-2")
	if len(after) != 2 || after["Summer/SKU-2"].Root != w.root {
		t.Errorf("the export has %+v", after)
	}
}

// TestRootOfAnotherClient: a root that takes another one's place in sync.toml, and has folders of the
// same names, takes none of its views.
func TestRootOfAnotherClient(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.project = "Client A"
	w.shoot("a", "SKU-1/1.jpg")
	of := w.published()["SKU-1"].UUID
	was := w.shown(of)
	w.root += "-b"
	w.project = "Client B"
	w.mkdir("")
	w.shoot("b", "SKU-1/1.jpg")
	w.published()
	if now := w.shown(of); now != was || len(w.titles()) != 2 {
		t.Errorf("the view of the first client shows %s, it showed %s; on the service: %q", now, was, w.titles())
	}
}

// TestViewOfARootThatIsNotWatched: a new folder with the path, project, SKU and title of a folder below a
// root that is not watched any more is that product, and no second one is made.
func TestViewOfARootThatIsNotWatched(t *testing.T) {
	w := newWorld(t, "")
	w.toml = shortQuiet + otherRoot(t)
	daemontest.Write(t, filepath.Join(w.elsewhere(), "Summer", "SKU-1", "1.jpg"), daemontest.Photo("of the other root"))
	w.shoot("b", "Summer/other/1.jpg")
	of := w.published()["Summer/SKU-1"].UUID
	w.toml = shortQuiet
	w.published()
	w.shoot("b", "Summer/SKU-1/1.jpg")
	after := w.published()
	if after["Summer/SKU-1"].UUID != of || after["Summer/SKU-1"].Root != w.root || len(w.titles()) != 2 {
		t.Errorf("%s became %+v; on the service: %q", of, after["Summer/SKU-1"], w.titles())
	}
}

// TestLostWhileTheDriveIsAway: a root that lies empty at the first start with a new state file may
// lack its drive, and its folders are compared when it is back.
func TestLostWhileTheDriveIsAway(t *testing.T) {
	w := newWorld(t, shortQuiet)
	before := w.retitled()
	must(t, os.Rename(w.path("Summer"), w.root+"-drive"))
	w.published()
	must(t, os.Rename(w.root+"-drive", w.path("Summer")))
	w.wantOne(before, w.published()["Summer/SKU-1"], "Kettle", "other")
}

// TestLostWhileAFolderIsNotComplete: a folder that is not complete at the first start with a new
// state file is compared when it is, in another life of the program too.
func TestLostWhileAFolderIsNotComplete(t *testing.T) {
	for name, c := range map[string]struct{ watch, product, title string }{
		"a marker":      {"marker = \"done.txt\"\n" + shortQuiet, "title = \"Kettle\"\n", "Kettle"},
		"a known count": {"frames = 2\nquiet = \"2s\"\n", "sku = \"Kettle\"\ntitle = \"SKU-1\"\n", "SKU-1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.watch)
			w.write("Summer/other/done.txt", "")
			w.write("Summer/SKU-1/done.txt", "")
			w.shoot("a", "Summer/other/2.jpg")
			before := w.retitled()
			w.write("Summer/SKU-1/product.toml", c.product)
			remove(t, w.path("Summer/SKU-1/done.txt"))
			remove(t, w.path("Summer/SKU-1/2.jpg"))
			if _, err := w.sync(); err == nil {
				t.Error("the folder counts as complete")
			}
			w.shoot("a", "Summer/SKU-1/2.jpg")
			w.write("Summer/SKU-1/done.txt", "")
			w.wantOne(before, w.published()["Summer/SKU-1"], c.title, "other")
		})
	}
}

// TestCopyInAnotherProject: a copy of a folder does not take the view of the other one, whichever
// of them is compared first.
func TestCopyInAnotherProject(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.write("Summer/SKU-1/1.jpg", daemontest.Photo("a"))
	before := w.published()["Summer/SKU-1"]
	remove(t, w.state)
	w.write("Winter/SKU-1/1.jpg", daemontest.Photo("a"))
	w.stagger = func(f syncstate.Folder, frame string) time.Duration {
		if f.Path == "Summer/SKU-1" {
			return 300 * time.Millisecond
		}
		return 0
	}
	after := w.published()
	if after["Summer/SKU-1"].UUID != before.UUID || len(w.titles()) != 2 {
		t.Errorf("%s became %+v; on the service: %q", before.UUID, after, w.titles())
	}
}

// TestTwoFoldersOfOneView: of two folders that may be a view only one gets it, though both find it
// at once.
func TestTwoFoldersOfOneView(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.write("Summer/a/1.jpg", daemontest.Photo("a"))
	w.write("Summer/a/product.toml", "sku = \"S\"\ntitle = \"Teapot\"\n")
	w.published()
	remove(t, w.state)
	removeAll(t, w.path("Summer/a"))
	for _, name := range []string{"b", "c"} {
		w.write("Summer/"+name+"/1.jpg", daemontest.Photo("a"))
		w.write("Summer/"+name+"/product.toml", "sku = \"S\"\ntitle = \"Pot "+name+"\"\n")
	}
	w.calls.spoil = always(sandbox.DownloadSources, sandbox.Fault{Hold: 300 * time.Millisecond})
	after := w.published()
	if after["Summer/b"].UUID == after["Summer/c"].UUID || len(w.titles()) != 2 {
		t.Errorf("%+v; on the service: %q", after, w.titles())
	}
}

// TestOtherProjectsThatAreRefused: a project whose products this user may not list keeps no folder
// of another one from being published.
func TestOtherProjectsThatAreRefused(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Winter/SKU-1/1.jpg")
	winter := w.published()["Winter/SKU-1"].Project.UUID
	remove(t, w.state)
	removeAll(t, w.path("Winter"))
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.ListProductsOfProject && strings.Contains(c.Request.URL.String(), winter) {
			return sandbox.Fault{Status: 403, Body: `{"errors":["no"]}`}
		}
		return sandbox.Fault{}
	}
	w.shoot("b", "Summer/SKU-1/1.jpg")
	w.published()
}

// TestDeletedViewThatIsStillListed: a list may lag behind the deletion of a view, which is not
// taken for another one then.
func TestDeletedViewThatIsStillListed(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	first := w.published()["Summer/SKU-1"]
	w.amend("Summer/SKU-1", func(r *syncstate.Record) { r.Doubted = true })
	must(t, w.client().DeleteProduct(t.Context(), first.UUID))
	w.calls.spoil = always(sandbox.ListProductsOfProject, sandbox.Fault{
		Status: 200, Body: `[{"uuid":"` + first.UUID + `","title":"SKU-1","sku":"SKU-1"}]`,
		Header: map[string][]string{"Content-Type": {"application/json"}},
	})
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 1 })
}

// TestBackupCarriesTexts: texts of others that were on their way to new images when a backup was
// made arrive, whether the view shows the folder's photos or other ones.
func TestBackupCarriesTexts(t *testing.T) {
	for take, name := range map[string]string{"a": "the folder's photos", "b": "other photos"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/SKU-1/1.jpg")
			w.published()
			w.amend("Summer/SKU-1", func(r *syncstate.Record) {
				r.Published.Frames[0].ImageID = 4711 // of the revision before
				r.Published.Frames[0].AltCarry = map[string]string{"fr": "Une théière"}
				r.Doubted = true
			})
			w.shoot(take, "Summer/SKU-1/1.jpg")
			p := w.published()["Summer/SKU-1"]
			if got := p.Images[0].AltTexts["fr"]; got != "Une théière" {
				t.Errorf("the text is %q", got)
			}
		})
	}
}

// TestBackupWithIDsThatAreUsedAgain: where a service gives the id of an image to another one, the
// texts stay with their photos.
func TestBackupWithIDsThatAreUsedAgain(t *testing.T) {
	w := newOddWorld(t, shortQuiet, func(o *servicetest.Options) { o.Habits.KeepIDs, o.Habits.Sources = true, "same" })
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.describe(w.published()["Summer/SKU-1"].Images[1].ID, map[string]string{"fr": "Une théière"})
	restore := w.backup()
	remove(t, w.path("Summer/SKU-1/1.jpg"))
	if got := w.published()["Summer/SKU-1"].Images[0].AltTexts["fr"]; got == "" {
		t.Fatal("the text is not carried at all")
	}
	restore()
	w.shoot("c", "Summer/SKU-1/1.jpg")
	images := w.published()["Summer/SKU-1"].Images
	if images[0].AltTexts["fr"] != "" || images[1].AltTexts["fr"] != "Une théière" {
		t.Errorf("the texts are %v and %v", images[0].AltTexts, images[1].AltTexts)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLostWhileTheServiceIsAway: a folder that could not be compared yet, because the service was
// away, is compared under another name too.
func TestLostWhileTheServiceIsAway(t *testing.T) {
	w := newWorld(t, shortQuiet)
	before := w.retitled()
	remove(t, w.path("Summer/SKU-1/product.toml"))
	w.calls.setSpoil(always(sandbox.ListProjects, sandbox.Fault{Status: 503}))
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 2 })
	w.moveTo("Summer/SKU-1", "Summer/SKU-9")
	w.write("Summer/SKU-9/product.toml", "title = \"SKU-1\"\n")
	w.calls.setSpoil(nil)
	w.wantOne(before, w.published()["Summer/SKU-9"], "SKU-1", "other")
}

// TestNamesakeInAnotherProject: a view in another project that has the folder's name and other
// photos is another product.
func TestNamesakeInAnotherProject(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Winter/SKU-1/1.jpg")
	w.published()
	remove(t, w.state)
	removeAll(t, w.path("Winter"))
	w.shoot("b", "Summer/SKU-1/1.jpg")
	w.published()
}

// TestSeveralViewsOfTheSamePhotos: where several views of other names show the folder's photos, a
// person says which is the folder's.
func TestSeveralViewsOfTheSamePhotos(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	first := w.published()["Summer/SKU-1"]
	project, product := first.Project.UUID, first.UUID
	remove(t, w.state)
	w.make(project, "SKU-1", "Pan", daemontest.Photo("aSummer/SKU-1/1.jpg"))
	w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
	w.runUntil(func(products []status.ProductStatus) bool {
		return count(products, status.Attention) == 1 && strings.Contains(products[0].Reason, "2 views of these photos (") && strings.Contains(products[0].Reason, product)
	})
	if got, want := w.titles(), []string{"Pan", "SKU-1"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestViewFoundByItsPhotosIsKept: a view that nothing but the photos tells is the folder's, also where
// its photos were not all there when the root was read whole, or when the state file was rebuilt.
func TestViewFoundByItsPhotosIsKept(t *testing.T) {
	for name, test := range map[string]struct {
		away  []string // photos that come later
		first func(*world) error
	}{
		"rebuilt without a photo": {[]string{"2.jpg"}, func(w *world) error { _, err := w.rebuild(); return err }},
		"empty at the first reading": {[]string{"1.jpg", "2.jpg"}, func(w *world) error {
			if _, err := w.sync(); !errors.Is(err, daemon.ErrUnpublished) {
				return err
			}
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "frames = 2\nquiet = \"2s\"\n")
			w.shoot("a", "Summer/other/2.jpg")
			before := w.retitled()
			w.write("Summer/SKU-1/product.toml", "title = \"Kettle\"\n")
			for _, photo := range test.away {
				must(t, os.Rename(w.path("Summer/SKU-1/"+photo), w.root+"-"+photo))
			}
			must(t, test.first(w))
			for _, photo := range test.away {
				must(t, os.Rename(w.root+"-"+photo, w.path("Summer/SKU-1/"+photo)))
			}
			after, err := w.sync()
			if err != nil || after["Summer/SKU-1"].UUID != before.UUID {
				t.Errorf("it has another product, %v; the titles are %q", err, w.titles())
			}
		})
	}
}

// TestPauseFollowsAnotherPath: a folder that is paused stays so when its root gets another path, and a
// pass ends.
func TestPauseFollowsAnotherPath(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("1", "Summer/SKU-1/1.jpg", "Summer/SKU-2/1.jpg")
	w.published()
	w.amend("Summer/SKU-1", func(r *syncstate.Record) { r.Paused = plantest.Noon })
	moved := w.root + "-moved"
	must(t, os.Rename(w.root, moved))
	w.root = moved
	w.shoot("2", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	d, end := w.daemon()
	defer end()
	if err := d.Sync(t.Context()); !errors.Is(err, daemon.ErrUnpublished) {
		t.Errorf("the pass ends with %v", err)
	}
	want := map[string]status.State{"Summer/SKU-1": status.Paused, "Summer/SKU-2": status.Published}
	for _, p := range d.Status().Products {
		if p.State != want[p.Folder] {
			t.Errorf("%s is %s (%s)", p.Folder, p.State, p.Reason)
		}
	}
}
