package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// aStage is how far a folder has come when it is renamed: what the service refuses from then on
// keeps it there.
type aStage struct {
	name     string
	reupload bool
	op       string
	admits   int // so many calls
	fault    sandbox.Fault
}

var (
	refused = sandbox.Fault{Status: 500, Body: `{"errors":["not now"]}`}
	stages  = []aStage{
		{name: "a create without an answer", op: sandbox.CreateProduct, fault: sandbox.Fault{DropAfter: true}},
		{name: "no frame sent", op: sandbox.Upload, fault: refused},
		{name: "one frame sent", op: sandbox.Upload, admits: 1, fault: refused},
		{name: "processing", op: sandbox.ReadStatus, fault: refused},
		{name: "no frame of a reshoot sent", reupload: true, op: sandbox.Upload, fault: refused},
		{name: "one frame of a reshoot sent", reupload: true, op: sandbox.Upload, admits: 1, fault: refused},
	}
)

func (s aStage) spoil() func(*sandbox.Call) sandbox.Fault {
	admitted := 0
	return func(c *sandbox.Call) sandbox.Fault {
		if c.Op != s.op {
			return sandbox.Fault{}
		}
		if admitted++; admitted <= s.admits {
			return sandbox.Fault{}
		}
		return s.fault
	}
}

// TestRenamedWhileItsViewIsDeleted: a folder that gets another name while the answer to the
// deletion of its view is still out keeps the view that is there, and gets another for one that is
// not.
func TestRenamedWhileItsViewIsDeleted(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("deleted %t", deleted), func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg")
			before := w.published()["Summer/old"].UUID
			w.amend("Summer/old", func(r *syncstate.Record) { r.DeleteSent = time.Now().Add(-time.Hour) })
			if deleted {
				must(t, w.client().DeleteProduct(t.Context(), before))
			}
			w.moveTo("Summer/old", "Summer/new")
			after := w.published()["Summer/new"].UUID
			if (after != before) != deleted || len(w.titles()) != 1 {
				t.Errorf("%s is now %s, and the views are %q", before, after, w.titles())
			}
		})
	}
}

// TestRenamedBeforeItIsPublished: a folder whose publication is under way is carried on under its
// new name, wherever below a root that is, and no second product is made.
func TestRenamedBeforeItIsPublished(t *testing.T) {
	t.Parallel()
	for _, stage := range stages {
		for _, to := range []string{"Summer/new", "Winter/new", "elsewhere"} {
			t.Run(stage.name+", to "+to, func(t *testing.T) {
				w := newWorld(t, shortQuiet+otherRoot(t))
				w.shoot("a", "Summer/other/1.jpg", "Summer/other/2.jpg")
				if stage.reupload {
					w.shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg")
				}
				w.published()
				w.calls.spoil = stage.spoil()
				w.shoot("b", "Summer/old/1.jpg", "Summer/old/2.jpg")
				w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 1 })
				w.calls.spoil = nil
				w.moveTo("Summer/old", to)
				before := w.record("Summer/old").Product.UUID
				products := w.published()
				if len(products) != 2 {
					t.Errorf("folders %v", products)
				}
				for folder, p := range products {
					if folder != "Summer/other" && before != "" && p.UUID != before {
						t.Errorf("%s is product %s, it was %s", folder, p.UUID, before)
					}
				}
				if got, want := w.titles(), []string{"new", "other"}; !slices.Equal(got, want) {
					t.Errorf("on the service: %q, want %q", got, want)
				}
			})
		}
	}
}

// TestMovedFromARootThatTakesLongerToRead: at a start a whole set is begun at once, while the root
// that it came from is still being read for the first time.
func TestMovedFromARootThatTakesLongerToRead(t *testing.T) {
	w := newWorld(t, "frames = 2\n"+shortQuiet+otherRoot(t))
	w.settle = "500ms"
	w.shoot("a", "Summer/stays/1.jpg", "Summer/stays/2.jpg", "Summer/old/1.jpg", "Summer/old/2.jpg")
	w.moveTo("Summer/old", "elsewhere")
	other := w.elsewhere()
	daemontest.Write(t, filepath.Join(other, "Summer", "rest", "1.jpg"), daemontest.Photo("rest"))
	before := w.published()["Summer/new"]
	for i := range 3000 {
		if err := os.Mkdir(filepath.Join(other, fmt.Sprint("Empty ", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(other, "Summer", "new"), w.path("Summer/moved")); err != nil {
		t.Fatal(err)
	}
	w.age("Summer/moved/1.jpg", "Summer/moved/2.jpg", "Summer/moved")
	after := w.published()["Summer/moved"]
	if got, want := w.titles(), []string{"moved", "rest", "stays"}; !slices.Equal(got, want) || after.UUID != before.UUID {
		t.Errorf("on the service: %q, want %q; %s became %s", got, want, before.UUID, after.UUID)
	}
}

// otherRoot is a second watched tree, beside that of the world.
func otherRoot(t *testing.T) string {
	path := t.TempDir()
	return "\n[[watch]]\npath = '" + path + "'\nlayout = \"{project}/{sku}\"\nsettle = \"20ms\"\n" + shortQuiet
}

// elsewhere is the other root.
func (w *world) elsewhere() string {
	_, table, _ := strings.Cut(w.toml, "path = '")
	path, _, _ := strings.Cut(table, "'")
	return path
}

// moveTo renames a folder, or moves it into the other root.
func (w *world) moveTo(from, to string) {
	w.t.Helper()
	target := w.path(to)
	if to == "elsewhere" {
		target = filepath.Join(w.elsewhere(), "Summer", "new")
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(w.path(from), target); err != nil {
		w.t.Fatal(err)
	}
}

// TestRenamedProjectOfOneExtent: photos of a camera without compression are all of one size.
// Folders that are renamed together are told apart by their content.
func TestRenamedProjectOfOneExtent(t *testing.T) {
	w := newWorld(t, shortQuiet)
	for _, name := range []string{"a", "b", "c"} {
		w.write("Summer/"+name+"/1.jpg", daemontest.Photo("same")+name)
	}
	w.shoot("a", "Winter/stays/1.jpg")
	before := w.published()
	w.moveTo("Summer", "Spring")
	after := w.published()
	for _, name := range []string{"a", "b", "c"} {
		if got, want := after["Spring/"+name].UUID, before["Summer/"+name].UUID; got != want {
			t.Errorf("%s is product %s, it was %s", name, got, want)
		}
	}
	if got, want := w.titles(), []string{"a", "b", "c", "stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestRenamedWhileItIsSent: the daemon runs when the folder gets another name.
func TestRenamedWhileItIsSent(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/other/1.jpg")
	w.published()
	w.shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg")
	renamed := false
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.Upload && !renamed {
			renamed = true
			w.moveTo("Summer/old", "Winter/new")
		}
		return sandbox.Fault{}
	}
	w.runUntil(func(products []status.ProductStatus) bool {
		return count(products, status.Published) == 2 && len(products) == 2
	})
	if got, want := w.titles(), []string{"new", "other"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestFolderOfTheSameProductAnew: a folder that says it is the product of one that is gone goes on
// with it.
func TestFolderOfTheSameProductAnew(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
	before := w.published()["Summer/old"]
	removeAll(t, w.path("Summer/old"))
	w.shoot("b", "Summer/new/1.jpg")
	w.write("Summer/new/product.toml", "sku = \"old\"\ntitle = \"old\"\n")
	after := w.published()
	if p := after["Summer/new"]; p.UUID != before.UUID || p.Revision == before.Revision || len(after) != 2 {
		t.Errorf("product %s became %+v", before.UUID, after)
	}
}

// TestSurveyOfARename: a preview tells of a folder that was renamed what a pass would do, once;
// that another folder is gone is told beside it.
func TestSurveyOfARename(t *testing.T) {
	w := newWorld(t, shortQuiet+otherRoot(t))
	w.shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg")
	w.shoot("b", "Summer/gone/1.jpg", "Summer/other/1.jpg")
	w.shoot("d", "Summer/far/1.jpg")
	w.published()
	w.moveTo("Summer/old", "Winter/new")
	w.moveTo("Summer/far", "elsewhere")
	removeAll(t, w.path("Summer/gone"))
	w.shoot("c", "Summer/made/1.jpg")
	d, closeDaemon := w.daemon()
	defer closeDaemon()
	previews, err := d.Survey(t.Context())
	got := map[string]string{}
	for _, p := range previews {
		got[p.Folder] = p.Does + " " + p.Detail
	}
	want := map[string]string{
		"Summer/gone":  "missing the folder is gone, the view is kept",
		"Summer/made":  "create 1 frame (509 B) in project Summer",
		"Summer/other": "nothing published",
		"Summer/new":   "rename renamed from " + w.root + "/Summer/far, its product is kept",
		"Winter/new":   "rename renamed from Summer/old, its product is kept",
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestRenamedFolderKeepsItsProduct: a new name costs neither a product, nor a project, nor an
// upload.
func TestRenamedFolderKeepsItsProduct(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"Summer/new", "Winter/new"} {
		t.Run(to, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			w.shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg", "Summer/other/1.jpg")
			before := w.published()["Summer/old"]
			w.calls.since()
			w.moveTo("Summer/old", to)
			after, ok := w.published()[to]
			if !ok || after.UUID != before.UUID || after.Title != "new" {
				t.Errorf("product %s became %+v", before.UUID, after)
			}
			for _, op := range w.calls.since() {
				if op == sandbox.CreateProject || op == sandbox.CreateProduct || op == sandbox.Upload {
					t.Errorf("a rename cost operation %s", op)
				}
			}
			if got, want := w.titles(), []string{"new", "other"}; !slices.Equal(got, want) {
				t.Errorf("on the service: %q, want %q", got, want)
			}
		})
	}
}

// TestOldNameThatGoesLater: a folder whose project was found while its old name still stood takes
// over the product once the old name is gone.
func TestOldNameThatGoesLater(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/old/1.jpg", "Summer/other/1.jpg")
	before := w.published()["Summer/old"]
	w.write("Summer/new/1.jpg", daemontest.Photo("aSummer/old/1.jpg"))
	w.calls.spoil = always(sandbox.ListProductsOfProject, refused)
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 1 })
	if r := w.record("Summer/new"); r.Project.UUID == "" || r.Product.UUID != "" {
		t.Fatalf("the record is %+v", r)
	}
	w.calls.spoil = nil
	removeAll(t, w.path("Summer/old"))
	if after := w.published()["Summer/new"]; after.UUID != before.UUID {
		t.Errorf("product %s became %+v", before.UUID, after)
	}
	if got, want := w.titles(), []string{"new", "other"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestTwinsThatAreRenamedAtOnce: folders with the same photos are recognised by what else they have
// in common with those that are gone. Where nothing tells, a person does, and no second product is
// made before.
func TestTwinsThatAreRenamedAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		says   string            // the product.toml, %s for the folder's first name
		to     map[string]string // what becomes of the folders
		copied bool              // the files become other ones, as on another drive
		asks   bool
	}{
		"the same files":      {"", map[string]string{"Summer/a": "Summer/x", "Summer/b": "Summer/y"}, false, false},
		"the SKU stays":       {"", map[string]string{"Summer/a": "Winter/a", "Summer/b": "Winter/b"}, true, false},
		"a SKU of its own":    {"sku = '%s'\ntitle = 'Shoe'", map[string]string{"Summer/a": "Winter/x", "Summer/b": "Winter/y"}, true, false},
		"a title of its own":  {"sku = 'Shoe'\ntitle = '%s'", map[string]string{"Summer/a": "Winter/x", "Summer/b": "Winter/y"}, true, false},
		"its manufacturer":    {"manufacturer = '%s'", map[string]string{"Summer/a": "Winter/x", "Summer/b": "Winter/y"}, true, false},
		"each in its project": {"", map[string]string{"Summer/a": "Summer/x", "Winter/b": "Winter/y"}, true, false},
		"nothing tells":       {"", map[string]string{"Summer/a": "Winter/x", "Summer/b": "Winter/y"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, shortQuiet)
			for from := range test.to {
				w.twin(from, "1.jpg", "2.jpg")
				if test.says != "" {
					w.write(from+"/product.toml", fmt.Sprintf(test.says, filepath.Base(from)))
				}
			}
			before := w.published()
			for from, to := range test.to {
				w.moveTo(from, to)
				if test.copied {
					w.copyAnew(to)
				}
			}
			products, err := w.sync()
			if asked := products["Winter/x"].State == status.Attention && products["Winter/y"].State == status.Attention; asked != test.asks {
				t.Errorf("%v; a person is asked: %t, want %t; %+v", err, asked, test.asks, products)
			}
			if len(w.titles()) != 2 {
				t.Errorf("on the service: %q", w.titles())
			}
			if test.asks {
				w.write("Winter/y/product.toml", "sku = 'b'\n")
				if products, _ = w.sync(); products["Winter/y"].State != status.Published {
					t.Errorf("what a person told of is %+v", products["Winter/y"])
				}
				products = w.published() // what is left is the other one
			}
			for from, to := range test.to {
				if got, want := products[to].UUID, before[from].UUID; got != want {
					t.Errorf("%s is product %s, it was %s as %s", to, got, want, from)
				}
			}
		})
	}
}

// twin writes photos that are the same in each folder.
func (w *world) twin(folder string, names ...string) {
	for _, name := range names {
		w.write(folder+"/"+name, daemontest.Photo(name))
	}
}

// copyAnew puts copies with times of their own in the place of a folder's photos.
func (w *world) copyAnew(folder string) {
	w.t.Helper()
	photos, err := filepath.Glob(filepath.Join(w.path(folder), "*.jpg"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, photo := range photos {
		content, err := os.ReadFile(photo)
		if err != nil {
			w.t.Fatal(err)
		}
		remove(w.t, photo)
		daemontest.Write(w.t, photo, string(content))
	}
}

// TestPersonMakesATwinAnew: a folder that may be several of those that are gone gets a product of
// its own when a person says so, and a preview tells that a person is asked.
func TestPersonMakesATwinAnew(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.twin("Summer/a", "1.jpg")
	w.twin("Summer/b", "1.jpg")
	before := w.published()
	removeAll(t, w.path("Summer"))
	w.twin("Winter/x", "1.jpg")
	d, closeDaemon := w.daemon()
	previews, err := d.Survey(t.Context())
	closeDaemon()
	i := slices.IndexFunc(previews, func(p status.Preview) bool { return p.Folder == "Winter/x" })
	if err != nil || i < 0 || previews[i].Does != string(status.Attention) {
		t.Errorf("%v; the preview is %+v", err, previews)
	}
	if products, _ := w.sync(); products["Winter/x"].State != status.Attention {
		t.Errorf("it is %+v", products["Winter/x"])
	}
	w.inStore(func(store *syncstate.Store) error { return daemon.DoRecorded(store, daemon.Retry, w.key("Winter/x")) })
	if p := w.published()["Winter/x"]; p.UUID == before["Summer/a"].UUID || p.UUID == before["Summer/b"].UUID || len(w.titles()) != 3 {
		t.Errorf("it is product %s; on the service %q", p.UUID, w.titles())
	}
}
