package daemon_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/syncstate"
)

const shortQuiet = `quiet = "60ms"
`

// calls counts the requests of each operation and spoils those a test names.
type calls struct {
	spoil func(*sandbox.Call) sandbox.Fault
	ops   []string
	turn  chan struct{}
}

func (c *calls) intercept(call *sandbox.Call) sandbox.Fault {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.ops = append(c.ops, call.Op)
	if c.spoil == nil {
		return sandbox.Fault{}
	}
	return c.spoil(call)
}

// since returns the operations called since the last time, sorted, without the polls, whose number is the service's.
func (c *calls) since() []string {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	ops := slices.DeleteFunc(c.ops, func(op string) bool { return op == "4.14" })
	slices.Sort(ops)
	c.ops = nil
	return ops
}

func TestFolderBecomesPublishedView(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/frame_01.jpg", "Summer/SKU-1/frame_02.jpg", "Summer/SKU-1/frame_03.jpg")
	w.write("Summer/SKU-1/frame_02.txt", "The left side")
	p := w.published()["Summer/SKU-1"]

	if p.State != daemon.Published || p.Title != "SKU-1" || p.SKU != "SKU-1" || p.Project.Title != "Summer" || p.Year != nil {
		t.Errorf("exported as %+v", p)
	}
	var files []string
	for i, image := range p.Images {
		files = append(files, image.File)
		if image.MediaURL == "" || image.ThumbnailURL == "" || image.Ordial != p.Images[0].Ordial+i {
			t.Errorf("image %+v", image)
		}
	}
	if want := []string{"frame_01.jpg", "frame_02.jpg", "frame_03.jpg"}; !slices.Equal(files, want) {
		t.Errorf("files = %q, want %q", files, want)
	}
	if diff := cmp.Diff(map[string]string{"en": "The left side"}, p.Images[1].AltTexts); diff != "" {
		t.Error(diff)
	}
	want := []string{"4.1", "4.12", "4.13", "4.2", "4.3", "4.3", "4.3", "4.4", "4.7", "4.8"}
	if got := w.calls.since(); !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
}

func TestUnchangedFolderCostsNoRequest(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.published()
	w.calls.since()

	w.published()
	if ops := w.calls.since(); len(ops) > 0 {
		t.Errorf("an untouched folder cost %v", ops)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(w.path("Summer/SKU-1/1.jpg"), later, later); err != nil {
		t.Fatal(err)
	}
	w.shoot("a", "Summer/SKU-1/2.jpg") // the same content again
	w.published()
	if ops := w.calls.since(); len(ops) > 0 {
		t.Errorf("touched files cost %v", ops)
	}
}

func TestChangedFolderIsUploadedAgain(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	before := w.published()["Summer/SKU-1"]
	w.calls.since()

	w.shoot("b", "Summer/SKU-1/2.jpg")
	after := w.published()["Summer/SKU-1"]
	if after.UUID != before.UUID || after.Revision == before.Revision {
		t.Errorf("product %s revision %d became product %s revision %d", before.UUID, before.Revision, after.UUID, after.Revision)
	}
	want := []string{"4.12", "4.12", "4.12", "4.3", "4.3", "4.4", "4.9"}
	if got := w.calls.since(); !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
}

func TestAltTexts(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	w.write("Summer/SKU-1/1.txt", "Ours")
	w.published()
	w.calls.since()

	w.write("Summer/SKU-1/1.de.txt", "Unserer")
	p := w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "Ours", "de": "Unserer"}, p.Images[0].AltTexts); diff != "" {
		t.Error(diff)
	}
	if got, want := w.calls.since(), []string{"4.12", "4.13"}; !slices.Equal(got, want) {
		t.Errorf("operations %v, want %v", got, want)
	}
	w.describe(p.Images[0].ID, map[string]string{"en": "Ours", "de": "Unserer", "fr": "Le leur"})
	w.describe(p.Images[1].ID, map[string]string{"en": "Theirs"})
	w.write("Summer/SKU-1/2.txt", "Not wanted")
	remove(t, w.path("Summer/SKU-1/1.de.txt"))
	p = w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "Ours", "fr": "Le leur"}, p.Images[0].AltTexts); diff != "" {
		t.Errorf("ours and theirs beside each other: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"en": "Theirs"}, p.Images[1].AltTexts); diff != "" {
		t.Errorf("theirs against ours: %s", diff)
	}

	w.shoot("b", "Summer/SKU-1/2.jpg")
	p = w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "Ours", "fr": "Le leur"}, p.Images[0].AltTexts); diff != "" {
		t.Errorf("after a reupload: %s", diff)
	}
	if diff := cmp.Diff(map[string]string{"en": "Theirs"}, p.Images[1].AltTexts); diff != "" {
		t.Errorf("after a reupload: %s", diff)
	}
}

func TestAltTextsOfOthersOutliveTheStateFile(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	p := w.published()["Summer/SKU-1"]
	theirs := map[string]string{"fr": "Le leur"}
	w.describe(p.Images[1].ID, theirs)
	remove(t, w.state)
	w.shoot("b", "Summer/SKU-1/1.jpg")
	p = w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(theirs, p.Images[1].AltTexts); diff != "" {
		t.Error(diff)
	}
}

// A refused finish may mean that a later form was handed out, which only another one puts right.
func TestRefusedFinishIsFollowedByAnotherForm(t *testing.T) {
	w := newWorld(t, shortQuiet)
	refused := false
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op != "4.4" || refused {
			return sandbox.Fault{}
		}
		refused = true
		return sandbox.Fault{Status: 422, Body: `{"errors":["no file was uploaded"]}`}
	}
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.published()
	if ops := w.calls.since(); !slices.Contains(ops, "4.9") {
		t.Errorf("operations %v, want another form", ops)
	}
}

func TestOrderDecidesStoredNames(t *testing.T) {
	w := newWorld(t, shortQuiet+`order = "natural"`)
	w.shoot("a", "Summer/SKU-1/img1.jpg", "Summer/SKU-1/img2.jpg", "Summer/SKU-1/img10.jpg")
	p := w.published()["Summer/SKU-1"]
	var files []string
	for _, image := range p.Images {
		files = append(files, image.File)
	}
	if want := []string{"img1.jpg", "img2.jpg", "img10.jpg"}; !slices.Equal(files, want) {
		t.Errorf("files = %q, want %q", files, want)
	}
}

func TestWrongCountWaitsForPerson(t *testing.T) {
	w := newWorld(t, shortQuiet+`frames = 4`)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	products, err := w.sync()
	if !errors.Is(err, daemon.ErrUnpublished) || products["Summer/SKU-1"].State != daemon.Attention {
		t.Fatalf("two of four frames: %v, %+v", err, products["Summer/SKU-1"])
	}
	w.shoot("a", "Summer/SKU-1/3.jpg", "Summer/SKU-1/4.jpg")
	if p := w.published()["Summer/SKU-1"]; len(p.Images) != 4 {
		t.Errorf("%d images", len(p.Images))
	}
}

func TestOneBadFolderHoldsUpNoOther(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/good/1.jpg", "Summer/bad/1.jpg")
	w.write("Summer/bad/2.jpg", daemontest.Photo("half")[:200])
	w.shoot("a", "Summer/odd/1.jpg")
	w.write("Summer/odd/product.toml", "titel = 1")
	products, err := w.sync()
	if !errors.Is(err, daemon.ErrUnpublished) {
		t.Errorf("verdict %v", err)
	}
	states := map[string]daemon.State{}
	for name, p := range products {
		states[name] = p.State
	}
	want := map[string]daemon.State{"Summer/good": daemon.Published, "Summer/bad": daemon.Collecting, "Summer/odd": daemon.Attention}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Error(diff)
	}
}

func TestManyFoldersOfOneProject(t *testing.T) {
	w := newWorld(t, shortQuiet)
	for i := range 30 {
		w.shoot("a", fmt.Sprintf("Summer/SKU-%02d/1.jpg", i), fmt.Sprintf("Summer/SKU-%02d/2.jpg", i))
	}
	if n := len(w.published()); n != 30 {
		t.Errorf("%d products", n)
	}
	projects := slices.DeleteFunc(w.calls.since(), func(op string) bool { return op != "4.1" })
	if len(projects) != 1 {
		t.Errorf("%d projects were created", len(projects))
	}
}

func TestFolderThatIsGone(t *testing.T) {
	for _, test := range []struct {
		toml string
		want []string
	}{
		{`on_remove = "keep"`, []string{"gone", "stays"}},
		{`on_remove = "delete"`, []string{"stays"}},
	} {
		t.Run(test.toml, func(t *testing.T) {
			w := newWorld(t, shortQuiet+test.toml)
			w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
			w.published()
			removeAll(t, w.path("Summer/gone"))
			w.runUntil(func(products []daemon.ProductStatus) bool {
				return len(products) == len(test.want) && products[0].State != daemon.Published || len(products) == 1
			})
			if got := w.titles(); !slices.Equal(got, test.want) {
				t.Errorf("on the service: %q, want %q", got, test.want)
			}
		})
	}
}

// TestManyFoldersThatAreGone: of several folders that went at once no view is deleted but those that a person names, and one
// that was deleted by hand is forgotten.
func TestManyFoldersThatAreGone(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/byhand/1.jpg", "Summer/named/1.jpg", "Summer/other/1.jpg", "Summer/stays/1.jpg")
	before := w.published()
	for _, name := range []string{"byhand", "named", "other"} {
		removeAll(t, w.path("Summer/"+name))
	}
	w.while(func(d *daemon.Daemon, until await) {
		asked := func(n int) func([]daemon.ProductStatus) bool {
			return func(products []daemon.ProductStatus) bool {
				return len(products) == n+1 && count(products, daemon.Attention) == n
			}
		}
		until(asked(3))
		if err := w.client().DeleteProduct(t.Context(), before["Summer/byhand"].UUID); err != nil {
			t.Fatal(err)
		}
		retry(t, d, syncstate.Folder{})
		until(asked(2))
		retry(t, d, w.key("Summer/named"))
		until(asked(1))
	})
	if got, want := w.titles(), []string{"other", "stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestViewDeletedByHand: with nobody to keep it for, the record of a view that is gone goes too; a folder that stands is made
// anew by a retry.
func TestViewDeletedByHand(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
	before := w.published()
	removeAll(t, w.path("Summer/gone"))
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []daemon.ProductStatus) bool { return count(products, daemon.Missing) == 1 })
		for _, p := range before {
			if err := w.client().DeleteProduct(t.Context(), p.UUID); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"gone", "stays"} {
			retry(t, d, w.key("Summer/"+name))
		}
		until(func(products []daemon.ProductStatus) bool {
			return len(products) == 1 && products[0].State == daemon.Published && products[0].Product != before["Summer/stays"].UUID
		})
	})
	if got, want := w.titles(), []string{"stays"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestViewReplacedByHand: when somebody else uploaded to the product, the texts have no image to go to. A retry uploads the
// folder again.
func TestViewReplacedByHand(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	before := w.published()["Summer/SKU-1"]
	w.upload(before.UUID, "other.jpg", daemontest.Photo("theirs"))
	w.write("Summer/SKU-1/1.txt", "A shoe")
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []daemon.ProductStatus) bool { return products[0].State == daemon.Attention })
		retry(t, d, w.key("Summer/SKU-1"))
		until(func(products []daemon.ProductStatus) bool {
			return products[0].State == daemon.Published && products[0].Revision > before.Revision+1
		})
	})
	p := w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "A shoe"}, p.Images[0].AltTexts); diff != "" {
		t.Error(diff)
	}
}

func count(products []daemon.ProductStatus, state daemon.State) (n int) {
	for _, p := range products {
		if p.State == state {
			n++
		}
	}
	return n
}

func retry(t *testing.T, d *daemon.Daemon, key syncstate.Folder) {
	t.Helper()
	if err := d.Retry(key, false); err != nil {
		t.Fatal(err)
	}
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestRenamedFolderKeepsItsProduct(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/old/1.jpg", "Summer/old/2.jpg", "Summer/other/1.jpg")
	before := w.published()["Summer/old"]
	w.calls.since()
	if err := os.Rename(w.path("Summer/old"), w.path("Summer/new")); err != nil {
		t.Fatal(err)
	}
	after, ok := w.published()["Summer/new"]
	if !ok || after.UUID != before.UUID || after.Title != "new" {
		t.Errorf("product %s became %+v", before.UUID, after)
	}
	for _, op := range w.calls.since() {
		if op == "4.2" || op == "4.3" {
			t.Errorf("a rename cost operation %s", op)
		}
	}
	if got, want := w.titles(), []string{"new", "other"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

func TestRebuildUploadsNothingThatIsThere(t *testing.T) {
	w := newWorld(t, shortQuiet+`order = "natural"`)
	w.shoot("a", "Summer/same/img1.jpg", "Summer/same/img10.jpg", "Summer/same/img2.jpg", "Summer/changed/1.jpg")
	w.write("Summer/same/img1.txt", "Ours")
	before := w.published()
	remove(t, w.state)
	w.shoot("b", "Summer/changed/1.jpg")
	w.shoot("a", "Summer/new/1.jpg")
	w.calls.since()

	rebuilt, err := w.rebuild()
	if err != nil {
		t.Fatal(err)
	}
	if r := rebuilt["Summer/same"]; !r.Published || r.Product != before["Summer/same"].UUID {
		t.Errorf("an unchanged folder: %+v", r)
	}
	if r := rebuilt["Summer/changed"]; r.Published || r.Product != before["Summer/changed"].UUID {
		t.Errorf("a changed folder: %+v", r)
	}
	if r := rebuilt["Summer/new"]; r.Product != "" {
		t.Errorf("a new folder: %+v", r)
	}
	for _, op := range w.calls.since() {
		if !slices.Contains([]string{"4.7", "4.8", "4.11", "4.12"}, op) {
			t.Errorf("rebuilding called %s", op)
		}
	}
	after := w.published()
	if diff := cmp.Diff(before["Summer/same"].Images, after["Summer/same"].Images); diff != "" {
		t.Error(diff)
	}
	uploads := slices.DeleteFunc(w.calls.since(), func(op string) bool { return op != "4.3" })
	if len(uploads) != 2 || len(w.titles()) != 3 {
		t.Errorf("%d uploads, products %q", len(uploads), w.titles())
	}
}

// TestRebuildFindsAViewInAnotherProject: a folder that was moved to another project kept its view where it was made, and has it
// after the state file was lost too.
func TestRebuildFindsAViewInAnotherProject(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/other/1.jpg", "Summer/moved/1.jpg")
	product := w.published()["Summer/moved"].UUID
	w.moveTo("Summer/moved", "Winter/moved")
	if p := w.published()["Winter/moved"]; p.UUID != product {
		t.Fatalf("the move made another view: %+v", p)
	}
	remove(t, w.state)
	rebuilt, err := w.rebuild()
	if err != nil {
		t.Fatal(err)
	}
	if r := rebuilt["Winter/moved"]; !r.Published || r.Product != product {
		t.Errorf("the moved folder: %+v", r)
	}
	w.published()
	if got, want := w.titles(), []string{"moved", "other"}; !slices.Equal(got, want) {
		t.Errorf("on the service: %q, want %q", got, want)
	}
}

// TestRebuildGoesOn: a folder that cannot be looked at keeps no other from being recorded, and is recorded the next time.
func TestRebuildGoesOn(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/a/1.jpg", "Summer/b/1.jpg", "Summer/c/1.jpg")
	before := w.published()
	remove(t, w.state)
	fail := true
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if fail && c.Op == "4.12" && strings.Contains(c.Request.URL.Path, before["Summer/b"].UUID) {
			return sandbox.Fault{Status: 422, Body: `{"errors":["no"]}`}
		}
		return sandbox.Fault{}
	}
	rebuilt, err := w.rebuild()
	if err == nil || !rebuilt["Summer/a"].Published || !rebuilt["Summer/b"].Failed || !rebuilt["Summer/c"].Published {
		t.Errorf("%v: %+v", err, rebuilt)
	}
	fail = false
	if rebuilt, err = w.rebuild(); err != nil || !rebuilt["Summer/b"].Published {
		t.Errorf("the second time: %v: %+v", err, rebuilt)
	}
}

// TestRebuildClaimsNoTexts: what stands on the service when the state file was lost is not taken away, whoever wrote it.
func TestRebuildClaimsNoTexts(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.write("Summer/SKU-1/1.txt", "A shoe")
	w.published()
	remove(t, w.state)
	if _, err := w.rebuild(); err != nil {
		t.Fatal(err)
	}
	remove(t, w.path("Summer/SKU-1/1.txt"))
	w.write("Summer/SKU-1/1.de.txt", "Ein Schuh")
	p := w.published()["Summer/SKU-1"]
	if diff := cmp.Diff(map[string]string{"en": "A shoe", "de": "Ein Schuh"}, p.Images[0].AltTexts); diff != "" {
		t.Error(diff)
	}
}

// A paused folder is as good as published only while it is as it was published, and a plan does not promise what a pass
// will not do.
func TestPausedFolderThatChanged(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.published()
	paused, end := w.daemon()
	if err := paused.Pause(w.key("Summer/SKU-1")); err != nil {
		t.Fatal(err)
	}
	end()
	w.published()
	w.shoot("b", "Summer/SKU-1/1.jpg")
	if _, err := w.sync(); !errors.Is(err, daemon.ErrUnpublished) {
		t.Errorf("the pass ended with %v", err)
	}
	d, end := w.daemon()
	defer end()
	plans, err := d.Survey(t.Context())
	if err != nil || len(plans) != 1 || plans[0].Does != string(daemon.Paused) {
		t.Errorf("the plan is %+v, %v", plans, err)
	}
}

// TestForgottenFolderIsNotReadAbout: nothing remembers a folder whose view went with it, so that later reads do not tell of it
// again.
func TestForgottenFolderIsNotReadAbout(t *testing.T) {
	w := newWorld(t, shortQuiet+`on_remove = "delete"`)
	w.shoot("a", "Summer/gone/1.jpg", "Summer/stays/1.jpg")
	w.published()
	removeAll(t, w.path("Summer/gone"))
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []daemon.ProductStatus) bool { return len(products) == 1 })
		if err := d.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := d.Status().Roots[0].Folders; n != 1 {
			t.Errorf("the watcher remembers %d folders", n)
		}
	})
}
