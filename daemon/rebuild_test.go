package daemon_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

func TestRebuildUploadsNothingThatIsThere(t *testing.T) {
	daemontest.Story(t, shortQuiet+`order = "natural"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/same/img1.jpg", "Summer/same/img10.jpg", "Summer/same/img2.jpg", "Summer/changed/1.jpg")
		w.Write("Summer/same/img1.txt", "Ours")
		before := w.Published()
		daemontest.Must(t, os.Remove(w.State))
		w.Shoot("b", "Summer/changed/1.jpg")
		w.Shoot("a", "Summer/new/1.jpg")
		w.Calls.Since()

		rebuilt, err := w.Rebuild()
		if err != nil {
			t.Fatal(err)
		}
		for folder, does := range map[string]string{"Summer/same": "nothing", "Summer/changed": "reupload", "Summer/new": "create"} {
			f := rebuilt[folder]
			if f.Does != does || f.Published != (folder == "Summer/same") || w.Record(folder).Product.UUID != before[folder].UUID {
				t.Errorf("%s: %+v", folder, f)
			}
		}
		for _, op := range w.Calls.Since() {
			if !slices.Contains([]string{sandbox.ListProjects, sandbox.ListProductsOfProject, sandbox.DownloadSources, sandbox.ListImages, sandbox.ReadStatus, sandbox.Embed}, op) {
				t.Errorf("rebuilding called %s", op)
			}
		}
		after := w.Published()
		if diff := cmp.Diff(before["Summer/same"].Images, after["Summer/same"].Images); diff != "" {
			t.Error(diff)
		}
		calls := w.Calls.Since()
		if countOp(calls, sandbox.Upload) != 2 || countOp(calls, sandbox.UpdateProduct) != 1 || len(w.Titles()) != 3 {
			t.Errorf("the calls were %v, want one reupload and one new view; products %q", calls, w.Titles())
		}
	})
}

// TestRebuildFindsAViewInAnotherProject: a folder that was moved to another project kept its view
// where it was made, and has it after the state file was lost too.
func TestRebuildFindsAViewInAnotherProject(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/other/1.jpg", "Summer/moved/1.jpg")
		product := w.Published()["Summer/moved"].UUID
		w.Move("Summer/moved", "Winter/moved")
		if p := w.Published()["Winter/moved"]; p.UUID != product {
			t.Fatalf("the move made another view: %+v", p)
		}
		daemontest.Must(t, os.Remove(w.State))
		rebuilt, err := w.Rebuild()
		if err != nil {
			t.Fatal(err)
		}
		if f := rebuilt["Winter/moved"]; !f.Published || w.Record("Winter/moved").Product.UUID != product {
			t.Errorf("the moved folder: %+v", f)
		}
		w.Published()
		if got, want := w.Titles(), []string{"moved", "other"}; !slices.Equal(got, want) {
			t.Errorf("on the service: %q, want %q", got, want)
		}
	})
}

// TestRebuildGoesOn: a folder that cannot be looked at keeps no other from being recorded, and is
// recorded the next time.
func TestRebuildGoesOn(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/a/1.jpg", "Summer/b/1.jpg", "Summer/c/1.jpg")
		before := w.Published()
		daemontest.Must(t, os.Remove(w.State))
		fail := true
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if fail && c.Op == sandbox.ListImages && strings.Contains(c.Request.URL.Path, before["Summer/b"].UUID) {
				return sandbox.Fault{Status: 422, Body: `{"errors":["no"]}`}
			}
			return sandbox.Fault{}
		})
		rebuilt, err := w.Rebuild()
		if err == nil || !rebuilt["Summer/a"].Published || rebuilt["Summer/b"].Does != "failed" || !rebuilt["Summer/c"].Published {
			t.Errorf("%v: %+v", err, rebuilt)
		}
		fail = false
		if rebuilt, err = w.Rebuild(); err != nil || !rebuilt["Summer/b"].Published {
			t.Errorf("the second time: %v: %+v", err, rebuilt)
		}
	})
}

// TestRebuildReadsTheProductsFile: a title that the products file gives is found on the service.
func TestRebuildReadsTheProductsFile(t *testing.T) {
	daemontest.Story(t, withProducts, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Write("products.csv", "folder,title\nSummer/SKU-1,Shoe\n")
		before := w.Published()["Summer/SKU-1"].UUID
		daemontest.Must(t, os.Remove(w.State))
		rebuilt, err := w.Rebuild()
		if product := w.Record("Summer/SKU-1").Product; err != nil || product.UUID != before || product.Title != "Shoe" {
			t.Errorf("%s was rebuilt as %+v: %+v, %v", before, product, rebuilt, err)
		}
	})
}

// TestRebuildClaimsNoTexts: what stands on the service when the state file was lost is not taken
// away, whoever wrote it.
func TestRebuildClaimsNoTexts(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Write("Summer/SKU-1/1.txt", "A shoe")
		w.Published()
		daemontest.Must(t, os.Remove(w.State))
		if _, err := w.Rebuild(); err != nil {
			t.Fatal(err)
		}
		w.Remove("Summer/SKU-1/1.txt")
		w.Write("Summer/SKU-1/1.de.txt", "Ein Schuh")
		p := w.Published()["Summer/SKU-1"]
		if diff := cmp.Diff(map[string]string{"en": "A shoe", "de": "Ein Schuh"}, p.Images[0].AltTexts); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRebuildWhileTheServiceProcesses: a view that the service still processes is told as such, and
// is not uploaded again when it turns out to be the folder's own.
func TestRebuildWhileTheServiceProcesses(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		before := w.Published()["Summer/SKU-1"]
		daemontest.Must(t, os.Remove(w.State))
		asked := 0
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			if c.Op == sandbox.ReadStatus {
				asked++
			}
			if c.Op != sandbox.ReadStatus || asked > 2 {
				return sandbox.Fault{}
			}
			return sandbox.Fault{Status: 200, Body: `{"variant":{"source_revision":0,"image_status":"processing"}}`, Header: map[string][]string{"Content-Type": {"application/json"}}}
		})
		rebuilt, err := w.Rebuild()
		if f := rebuilt["Summer/SKU-1"]; err != nil || f.Published || f.Does != "wait" {
			t.Fatalf("%v; rebuilt as %+v", err, f)
		}
		if r := w.Record("Summer/SKU-1"); r.Product.UUID != before.UUID || r.State != string(status.Processing) || !r.Cause.Is(status.UnknownUpload) || r.Since.IsZero() {
			t.Errorf("it is told as %q, %+v, since %s", r.State, r.Cause, r.Since)
		}
		w.Calls.Since()
		if p := w.Published()["Summer/SKU-1"]; p.UUID != before.UUID || asked < 3 {
			t.Errorf("after %d status requests it is %+v", asked, p)
		}
		for _, op := range w.Calls.Since() {
			if op == sandbox.CreateProduct || op == sandbox.Upload {
				t.Errorf("what is there already was sent again, with operation %s", op)
			}
		}
	})
}

// TestRebuildPassesByOtherDirectories: a directory that is no product folder is no folder without a
// view.
func TestRebuildPassesByOtherDirectories(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "loose/1.jpg")
		if _, err := w.Sync(); err == nil {
			t.Error("the photo in the wrong place needs nobody")
		}
		daemontest.Must(t, os.Remove(w.State))
		found, err := w.Rebuild()
		if err != nil || len(found) != 1 || !found["Summer/SKU-1"].Published {
			t.Errorf("%v; found %+v", err, found)
		}
	})
}

// TestRebuildOfWhatIsHeldBack: a folder in doubt is compared also while it is paused, and once more where
// a person was called to it.
func TestRebuildOfWhatIsHeldBack(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/paused/1.jpg", "Summer/troubled/1.jpg")
		w.Published()
		w.Amend("Summer/paused", func(r *syncstate.Record) {
			*r = syncstate.Record{Doubted: true, Wishes: syncstate.Wishes{Paused: time.Now()}}
			r.State = string(status.Queued)
		})
		w.Amend("Summer/troubled", func(r *syncstate.Record) {
			needsPerson := syncstate.Trouble{
				Kind: syncstate.NeedsPerson, Cause: status.Because(status.SeveralNamed), Content: r.Listing + " " + r.Settings,
			}
			*r = syncstate.Record{Doubted: true, Trouble: &needsPerson}
			r.State = string(status.Attention)
		})
		found, err := w.Rebuild()
		for _, folder := range []string{"Summer/paused", "Summer/troubled"} {
			r := w.Record(folder)
			if f := found[folder]; err != nil || !f.Published || f.Does != "nothing" || r.Doubted || r.Trouble != nil {
				t.Errorf("%s: %v; forecast %+v, record %+v", folder, err, f, r)
			}
		}
		if w.Record("Summer/paused").Paused.IsZero() {
			t.Error("the pause is over")
		}
	})
}

// TestRebuildOfAGoneFolder: a folder in doubt that is gone is reported, and its record stays as it is.
func TestRebuildOfAGoneFolder(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/other/1.jpg")
		w.Published()
		w.Amend("Summer/SKU-1", func(r *syncstate.Record) { r.Doubted = true })
		w.Remove("Summer/SKU-1")
		before := w.Record("Summer/SKU-1")
		found, err := w.Rebuild()
		if f := found["Summer/SKU-1"]; err != nil || !f.Gone || f.Published || f.Does != "missing" {
			t.Errorf("%v; forecast %+v", err, f)
		}
		if diff := cmp.Diff(before, w.Record("Summer/SKU-1")); diff != "" {
			t.Error(diff)
		}
	})
}

// dryWalks are what only looks.
var dryWalks = map[string]func(context.Context, *daemon.Daemon) error{
	"plan":    func(ctx context.Context, d *daemon.Daemon) error { _, err := d.Survey(ctx); return err },
	"rebuild": func(ctx context.Context, d *daemon.Daemon) error { return d.Rebuild(ctx, func(daemon.Forecast) {}) },
}

// TestDryWalksOnlyRead: while a daemon only looks, nothing can be changed on the service.
func TestDryWalksOnlyRead(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		for name, walk := range dryWalks {
			d, end := w.Open()
			err := walk(t.Context(), d)
			if _, sent := d.Service.CreateProject(t.Context(), "Winter"); err != nil || !errors.Is(sent, apiclient.ErrOnlyReads) {
				t.Errorf("%s: %v; a project is made: %v", name, err, sent)
			}
			end()
		}
	})
}

// A root that may not be read any more ends the commands that only read it.
func TestReadingMayEnd(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		refusal := errors.New("another program publishes it")
		for name, walk := range dryWalks {
			d, end := w.OpenWith(daemon.Options{MayRead: func(string) error { return refusal }}, daemontest.Committing)
			if err := walk(t.Context(), d); !errors.Is(err, refusal) {
				t.Errorf("%s ends with %v", name, err)
			}
			end()
		}
	})
}
