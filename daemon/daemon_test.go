package daemon_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

func TestFolderBecomesPublishedView(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/frame_01.jpg", "Summer/SKU-1/frame_02.jpg", "Summer/SKU-1/frame_03.jpg")
		w.Write("Summer/SKU-1/frame_02.txt", "The left side")
		p := w.Published()["Summer/SKU-1"]

		if p.State != status.Published || p.Title != "SKU-1" || p.SKU != "SKU-1" || p.Project.Title != "Summer" || p.Year != nil {
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
		want := []string{sandbox.CreateProject, sandbox.ListImages, sandbox.SetAltTexts, sandbox.CreateProduct, sandbox.Upload, sandbox.Upload, sandbox.Upload, sandbox.FinishUpload, sandbox.Embed, sandbox.ListProjects, sandbox.ListProjects, sandbox.ListProductsOfProject} // seven, the frames, a text, and polls
		if got := w.Calls.Since(); !slices.Equal(got, want) {
			t.Errorf("operations %v, want %v", got, want)
		}
	})
}

func TestUnchangedFolderCostsNoRequest(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		w.Published()
		w.Calls.Since()

		w.Published()
		if ops := w.Calls.Since(); len(ops) > 0 {
			t.Errorf("an untouched folder cost %v", ops)
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(w.Path("Summer/SKU-1/1.jpg"), later, later); err != nil {
			t.Fatal(err)
		}
		w.Shoot("a", "Summer/SKU-1/2.jpg") // the same content again
		w.Published()
		if ops := w.Calls.Since(); len(ops) > 0 {
			t.Errorf("touched files cost %v", ops)
		}
	})
}

func TestChangedFolderIsUploadedAgain(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		before := w.Published()["Summer/SKU-1"]
		w.Calls.Since()

		w.Shoot("b", "Summer/SKU-1/2.jpg")
		after := w.Published()["Summer/SKU-1"]
		if after.UUID != before.UUID || after.Revision == before.Revision {
			t.Errorf("product %s revision %d became product %s revision %d", before.UUID, before.Revision, after.UUID, after.Revision)
		}
		want := []string{sandbox.ListImages, sandbox.ListImages, sandbox.ListImages, sandbox.ReadStatus, sandbox.Upload, sandbox.Upload, sandbox.FinishUpload, sandbox.UpdateProduct} // six, the frames, and polls
		if got := w.Calls.Since(); !slices.Equal(got, want) {
			t.Errorf("operations %v, want %v", got, want)
		}
	})
}

// A refused finish may mean that a later form was handed out, which only another one puts right.
func TestRefusedFinishIsFollowedByAnotherForm(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Calls.Spoil(daemontest.Once(sandbox.FinishUpload, sandbox.Fault{Status: 422, Body: `{"errors":["no file was uploaded"]}`}))
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Published()
		if ops := w.Calls.Since(); !slices.Contains(ops, sandbox.UpdateProduct) {
			t.Errorf("operations %v, want another form", ops)
		}
	})
}

func TestOrderDecidesStoredNames(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/img1.jpg", "Summer/SKU-1/img2.jpg", "Summer/SKU-1/img10.jpg")
		p := w.Published()["Summer/SKU-1"]
		var files []string
		for _, image := range p.Images {
			files = append(files, image.File)
		}
		if want := []string{"img1.jpg", "img2.jpg", "img10.jpg"}; !slices.Equal(files, want) {
			t.Errorf("files = %q, want %q", files, want)
		}
	})
}

func TestWrongCountWaitsForPerson(t *testing.T) {
	daemontest.Story(t, shortQuiet+`frames = 4`, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg", "Summer/SKU-1/2.jpg")
		products, err := w.Sync()
		if !errors.Is(err, daemon.ErrUnpublished) || products["Summer/SKU-1"].State != status.Attention {
			t.Fatalf("two of four frames: %v, %+v", err, products["Summer/SKU-1"])
		}
		w.Shoot("a", "Summer/SKU-1/3.jpg", "Summer/SKU-1/4.jpg")
		if p := w.Published()["Summer/SKU-1"]; len(p.Images) != 4 {
			t.Errorf("%d images", len(p.Images))
		}
	})
}

func TestOneBadFolderHoldsUpNoOther(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/good/1.jpg", "Summer/bad/1.jpg")
		w.Write("Summer/bad/2.jpg", daemontest.Photo("half")[:200])
		w.Shoot("a", "Summer/odd/1.jpg")
		w.Write("Summer/odd/product.toml", "titel = 1")
		products, err := w.Sync()
		if !errors.Is(err, daemon.ErrUnpublished) {
			t.Errorf("verdict %v", err)
		}
		states := map[string]status.State{}
		for name, p := range products {
			states[name] = p.State
		}
		want := map[string]status.State{"Summer/good": status.Published, "Summer/bad": status.Attention, "Summer/odd": status.Attention}
		if diff := cmp.Diff(want, states); diff != "" {
			t.Error(diff)
		}
	})
}

func TestManyFoldersOfOneProject(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		for i := range 30 {
			w.Shoot("a", fmt.Sprintf("Summer/SKU-%02d/1.jpg", i), fmt.Sprintf("Summer/SKU-%02d/2.jpg", i))
		}
		if n := len(w.Published()); n != 30 {
			t.Errorf("%d products", n)
		}
		projects := slices.DeleteFunc(w.Calls.Since(), func(op string) bool { return op != sandbox.CreateProject })
		if len(projects) != 1 {
			t.Errorf("%d projects were created", len(projects))
		}
	})
}

// A paused folder is as good as published only while it is as it was published, and a plan does not
// promise what a pass will not do.
func TestPausedFolderThatChanged(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/SKU-1/1.jpg")
		w.Published()
		paused, end := w.Open()
		if err := paused.Do(daemon.Pause, w.Key("Summer/SKU-1")); err != nil {
			t.Fatal(err)
		}
		end()
		w.Published()
		w.Shoot("b", "Summer/SKU-1/1.jpg")
		if _, err := w.Sync(); !errors.Is(err, daemon.ErrUnpublished) {
			t.Errorf("the pass ended with %v", err)
		}
		d, end := w.Open()
		defer end()
		plans, err := d.Survey(t.Context())
		if err != nil || len(plans) != 1 || plans[0].Does != string(status.Paused) {
			t.Errorf("the plan is %+v, %v", plans, err)
		}
	})
}
