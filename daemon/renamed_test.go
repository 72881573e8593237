package daemon_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

var refused = sandbox.Fault{Status: 500, Body: `{"errors":["not now"]}`}

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
