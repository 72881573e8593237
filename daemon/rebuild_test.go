package daemon_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

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
		if !slices.Contains([]string{sandbox.ListProjects, sandbox.ListProductsOfProject, sandbox.DownloadSources, sandbox.ListImages, sandbox.ReadStatus, sandbox.Embed}, op) {
			t.Errorf("rebuilding called %s", op)
		}
	}
	after := w.published()
	if diff := cmp.Diff(before["Summer/same"].Images, after["Summer/same"].Images); diff != "" {
		t.Error(diff)
	}
	calls := w.calls.since()
	if countOp(calls, sandbox.Upload) != 2 || countOp(calls, sandbox.UpdateProduct) != 1 || len(w.titles()) != 3 {
		t.Errorf("the calls were %v, want one reupload and one new view; products %q", calls, w.titles())
	}
}

// TestRebuildFindsAViewInAnotherProject: a folder that was moved to another project kept its view
// where it was made, and has it after the state file was lost too.
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

// TestRebuildGoesOn: a folder that cannot be looked at keeps no other from being recorded, and is
// recorded the next time.
func TestRebuildGoesOn(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/a/1.jpg", "Summer/b/1.jpg", "Summer/c/1.jpg")
	before := w.published()
	remove(t, w.state)
	fail := true
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if fail && c.Op == sandbox.ListImages && strings.Contains(c.Request.URL.Path, before["Summer/b"].UUID) {
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

// TestRebuildReadsTheProductsFile: a title that the products file gives is found on the service.
func TestRebuildReadsTheProductsFile(t *testing.T) {
	w := newWorld(t, withProducts)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.write("products.csv", "folder,title\nSummer/SKU-1,Shoe\n")
	before := w.published()["Summer/SKU-1"].UUID
	remove(t, w.state)
	rebuilt, err := w.rebuild()
	if product := w.record("Summer/SKU-1").Product; err != nil || product.UUID != before || product.Title != "Shoe" {
		t.Errorf("%s was rebuilt as %+v: %+v, %v", before, product, rebuilt, err)
	}
}

// TestRebuildClaimsNoTexts: what stands on the service when the state file was lost is not taken
// away, whoever wrote it.
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

// TestSourcesLargerThanTheFolder: a download of sources is ended as soon as it cannot be the
// folder's frames, and leaves nothing behind.
func TestSourcesLargerThanTheFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	w := worldAlone(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg")
	w.published()
	remove(t, w.state)
	w.calls.spoil = always(sandbox.DownloadSources, sandbox.Fault{Status: 200, Body: "PK" + strings.Repeat("x", 64<<10)})
	found, err := w.rebuild()
	if r := found["Summer/SKU-1"]; err != nil || r.Published || !strings.Contains(r.Reason, "larger") {
		t.Errorf("%v; found %+v", err, r)
	}
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v; left behind are %v", err, left)
	}
}

// TestRebuildWhileTheServiceProcesses: a view that the service still processes is told as such, and
// is not uploaded again when it turns out to be the folder's own.
func TestRebuildWhileTheServiceProcesses(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
	before := w.published()["Summer/SKU-1"]
	remove(t, w.state)
	asked := 0
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.ReadStatus {
			asked++
		}
		if c.Op != sandbox.ReadStatus || asked > 2 {
			return sandbox.Fault{}
		}
		return sandbox.Fault{Status: 200, Body: `{"variant":{"source_revision":0,"image_status":"processing"}}`, Header: map[string][]string{"Content-Type": {"application/json"}}}
	}
	rebuilt, err := w.rebuild()
	if r := rebuilt["Summer/SKU-1"]; err != nil || r.Published || r.Product != before.UUID {
		t.Fatalf("%v; rebuilt as %+v", err, r)
	}
	if r := w.record("Summer/SKU-1"); r.State != string(status.Processing) || !r.Cause.Is(status.UnknownUpload) || r.Since.IsZero() {
		t.Errorf("it is told as %q, %+v, since %s", r.State, r.Cause, r.Since)
	}
	w.calls.since()
	if p := w.published()["Summer/SKU-1"]; p.UUID != before.UUID || asked < 3 {
		t.Errorf("after %d status requests it is %+v", asked, p)
	}
	for _, op := range w.calls.since() {
		if op == sandbox.CreateProduct || op == sandbox.Upload {
			t.Errorf("what is there already was sent again, with operation %s", op)
		}
	}
}

// TestRebuildPassesByOtherDirectories: a directory that is no product folder is no folder without a
// view.
func TestRebuildPassesByOtherDirectories(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/SKU-1/1.jpg", "loose/1.jpg")
	if _, err := w.sync(); err == nil {
		t.Error("the photo in the wrong place needs nobody")
	}
	remove(t, w.state)
	found, err := w.rebuild()
	if err != nil || len(found) != 1 || !found["Summer/SKU-1"].Published {
		t.Errorf("%v; found %+v", err, found)
	}
}

// A root that may not be read any more ends the commands that only read it.
func TestReadingMayEnd(t *testing.T) {
	w := newWorld(t, shortQuiet)
	refusal := errors.New("another program publishes it")
	d, end := daemontest.Open(t, daemon.Options{
		Config: w.config(), MayRead: func(string) error { return refusal },
	})
	if err := d.Rebuild(t.Context(), func(daemon.Rebuilt) {}); !errors.Is(err, refusal) {
		t.Errorf("rebuild ends with %v", err)
	}
	end()
	d, end = daemontest.Open(t, daemon.Options{
		Config: w.config(), MayRead: func(string) error { return refusal },
	})
	defer end()
	if _, err := d.Survey(t.Context()); !errors.Is(err, refusal) {
		t.Errorf("plan ends with %v", err)
	}
}
