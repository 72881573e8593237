package daemon_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestRebuildOfAViewWithAddedPictures: pictures that somebody else added to a view, and that the ZIP of its
// source files has too, are no difference.
func TestRebuildOfAViewWithAddedPictures(t *testing.T) {
	daemontest.OddStory(t, shortQuiet, func(o *servicetest.Options) { o.Habits.PacksAdded = true }, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Service.(*servicetest.Server).AddPicture(w.Published()["Summer/SKU-1"].UUID)
		daemontest.Must(t, os.Remove(w.State))
		w.Calls.Since()
		found, err := w.Rebuild()
		if f := found["Summer/SKU-1"]; err != nil || f.Does != "nothing" || !f.Published {
			t.Errorf("found is %+v, %v", f, err)
		}
		w.Published()
		if calls := w.Calls.Since(); countOp(calls, sandbox.Upload)+countOp(calls, sandbox.UpdateProduct) > 0 {
			t.Errorf("the calls were %v", calls)
		}
	})
}

// TestRebuildUploadsNothingThatIsThere: a lost state file is rebuilt from the folders and the service, with
// requests that only read. A folder that cannot be compared does not hold up the others. A view that is
// still processed is waited for. A text on the service counts as somebody else's.
func TestRebuildUploadsNothingThatIsThere(t *testing.T) {
	daemontest.Story(t, withProducts+`order = "natural"`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/same/img1.jpg", "Summer/same/img10.jpg", "Summer/same/img2.jpg", "Summer/changed/1.jpg", "Summer/texts/1.jpg")
		w.Shoot("a", "Summer/moved/1.jpg", "Summer/listed/1.jpg", "Summer/failing/1.jpg", "Summer/busy/1.jpg", "loose/1.jpg")
		w.Write("products.csv", "folder,title\nSummer/listed,Shoe\n")
		w.Write("Summer/same/img1.txt", "Ours")
		w.Write("Summer/texts/1.txt", "A shoe")
		before, _ := w.Sync() // the loose photo needs somebody
		w.Move("Summer/moved", "Winter/moved")
		moved, _ := w.Sync()
		if before["Winter/moved"] = moved["Winter/moved"]; moved["Winter/moved"].UUID != before["Summer/moved"].UUID {
			t.Fatalf("the move made another view: %+v", moved["Winter/moved"])
		}
		daemontest.Must(t, os.Remove(w.State))
		w.Shoot("b", "Summer/changed/1.jpg")
		w.Shoot("a", "Summer/new/1.jpg")
		fail, asked := true, 0
		w.Calls.Spoil(func(c *sandbox.Call) sandbox.Fault {
			of := func(folder string) bool { return strings.Contains(c.Request.URL.Path, before[folder].UUID) }
			switch {
			case c.Op == sandbox.ListImages && of("Summer/failing") && fail:
				return sandbox.Fault{Status: 422, Body: `{"errors":["no"]}`}
			case c.Op == sandbox.ReadStatus && of("Summer/busy"):
				if asked++; asked <= 3 {
					return sandbox.Fault{
						Status: 200, Body: `{"variant":{"source_revision":0,"image_status":"processing"}}`,
						Header: http.Header{"Content-Type": {"application/json"}},
					}
				}
			}
			return sandbox.Fault{}
		})
		w.Calls.Since()

		rebuilt, err := w.Rebuild()
		if err == nil {
			t.Error("a folder could not be compared, and nobody hears of it")
		}
		type found struct {
			does      string
			published bool
		}
		want := map[string]found{
			"Summer/same": {"nothing", true}, "Summer/texts": {"nothing", true}, "Summer/listed": {"nothing", true}, "Winter/moved": {"nothing", true},
			"Summer/changed": {"reupload", false}, "Summer/new": {"create", false}, "Summer/failing": {"failed", false}, "Summer/busy": {"wait", false},
			"loose": {"attention", false},
		}
		got := map[string]found{}
		for folder, f := range rebuilt {
			got[folder] = found{f.Does, f.Published}
			if p := w.Record(folder).Product; p.UUID != before[folder].UUID && f.Does != "failed" || folder == "Summer/listed" && p.Title != "Shoe" {
				t.Errorf("%s is recorded as %+v", folder, p)
			}
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(found{})); diff != "" {
			t.Error(diff)
		}
		if r := w.Record("Summer/busy"); r.Shown.State != string(status.Processing) || !r.Shown.Cause.Is(status.UnknownUpload) || r.Shown.Since.IsZero() {
			t.Errorf("what is processed is shown as %q, %+v, since %s", r.Shown.State, r.Shown.Cause, r.Shown.Since)
		}
		for _, op := range w.Calls.Since() {
			if !slices.Contains([]string{sandbox.ListProjects, sandbox.ListProductsOfProject, sandbox.DownloadSources, sandbox.ListImages, sandbox.ReadStatus, sandbox.Embed}, op) {
				t.Errorf("rebuilding called %s", op)
			}
		}
		fail = false
		if rebuilt, err = w.Rebuild(); err != nil || !rebuilt["Summer/failing"].Published {
			t.Errorf("the second time: %v: %+v", err, rebuilt["Summer/failing"])
		}
		w.Remove("Summer/texts/1.txt")
		w.Write("Summer/texts/1.de.txt", "Ein Schuh")
		w.Calls.Since()
		after, _ := w.Sync()
		for _, folder := range []string{"Summer/same", "Summer/listed", "Summer/failing", "Summer/busy", "Winter/moved"} {
			if diff := cmp.Diff(before[folder].Images, after[folder].Images); diff != "" {
				t.Errorf("%s: %s", folder, diff)
			}
		}
		if diff := cmp.Diff(map[string]string{"en": "A shoe", "de": "Ein Schuh"}, after["Summer/texts"].Images[0].AltTexts); diff != "" {
			t.Error(diff)
		}
		calls := w.Calls.Since()
		if countOp(calls, sandbox.Upload) != 2 || countOp(calls, sandbox.UpdateProduct) != 1 || countOp(calls, sandbox.CreateProduct) != 1 {
			t.Errorf("the calls were %v, want one reupload and one new view", calls)
		}
	})
}

// TestRebuildOfWhatIsHeldBack: a folder in doubt is compared also while it is paused, and once more where
// a person was called to it. One that is gone is reported, and its record stays as it is.
func TestRebuildOfWhatIsHeldBack(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/paused/1.jpg", "Summer/troubled/1.jpg", "Summer/gone/1.jpg")
		w.Published()
		w.Amend("Summer/paused", func(r *syncstate.Record) {
			*r = syncstate.Record{Doubted: true, Wishes: syncstate.Wishes{Paused: time.Now()}}
			r.Shown.State = string(status.Queued)
		})
		w.Amend("Summer/troubled", func(r *syncstate.Record) {
			needsPerson := syncstate.Trouble{
				Kind: syncstate.NeedsPerson, Cause: status.Because(status.SeveralNamed), Content: r.Idle.Listing + " " + r.Idle.Settings,
			}
			*r = syncstate.Record{Doubted: true, Trouble: &needsPerson}
			r.Shown.State = string(status.Attention)
		})
		w.Amend("Summer/gone", func(r *syncstate.Record) { r.Doubted = true })
		w.Remove("Summer/gone")
		before := w.Record("Summer/gone")
		found, err := w.Rebuild()
		for _, folder := range []string{"Summer/paused", "Summer/troubled"} {
			r := w.Record(folder)
			if f := found[folder]; err != nil || !f.Published || f.Does != "nothing" || r.Doubted || r.Trouble != nil {
				t.Errorf("%s: %v; forecast %+v, record %+v", folder, err, f, r)
			}
		}
		if w.Record("Summer/paused").Wishes.Paused.IsZero() {
			t.Error("the pause is over")
		}
		if f := found["Summer/gone"]; !f.Gone || f.Published || f.Does != "missing" {
			t.Errorf("the gone folder: %+v", f)
		}
		if diff := cmp.Diff(before, w.Record("Summer/gone")); diff != "" {
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
			if _, sent := daemon.ServiceOf(d).Client.CreateProject(t.Context(), "Winter"); err != nil || !errors.Is(sent, apiclient.ErrOnlyReads) {
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

// TestRebuildOfAnEmptyRoot: a root without any folder may lack its drive. What comes into it after the
// rebuild is compared as what was there.
func TestRebuildOfAnEmptyRoot(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		before := w.Published()["Summer/SKU-1"]
		daemontest.Must(t, os.Remove(w.State))
		w.Move("Summer", "../Summer")
		if _, err := w.Rebuild(); err != nil {
			t.Fatal(err)
		}
		w.Move("../Summer", "Summer")
		w.Write("Summer/SKU-1/product.toml", "title = \"Red shoe\"\n")
		if after := w.Published()["Summer/SKU-1"]; after.UUID != before.UUID {
			t.Errorf("view %s became %s; on the service: %q", before.UUID, after.UUID, w.Titles())
		}
	})
}
