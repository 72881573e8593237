package daemon_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestFolderBecomesPublishedView: a folder is published with few requests, which are counted here, and is
// published again when its photos change. One that is as it was costs none, also where its files were
// touched.
func TestFolderBecomesPublishedView(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		costs := func(want ...string) {
			t.Helper()
			slices.Sort(want)
			if diff := cmp.Diff(want, w.Calls.Since(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the requests: %s", diff)
			}
		}
		w.Shoot("a", "Summer/SKU-1/img1.jpg", "Summer/SKU-1/img2.jpg", "Summer/SKU-1/img10.jpg")
		w.Write("Summer/SKU-1/img2.txt", "The left side")
		before := w.Published()["Summer/SKU-1"]
		if before.State != status.Published || before.Title != "SKU-1" || before.SKU != "SKU-1" || before.Project.Title != "Summer" || before.Year != nil {
			t.Errorf("exported as %+v", before)
		}
		var files []string
		for i, image := range before.Images {
			files = append(files, image.File)
			if image.MediaURL == "" || image.ThumbnailURL == "" || image.Ordial != before.Images[0].Ordial+i {
				t.Errorf("image %+v", image)
			}
		}
		if want := []string{"img1.jpg", "img2.jpg", "img10.jpg"}; !slices.Equal(files, want) {
			t.Errorf("files = %q, want %q", files, want)
		}
		if diff := cmp.Diff(map[string]string{"en": "The left side"}, before.Images[1].AltTexts); diff != "" {
			t.Error(diff)
		}
		// Seven, the frames, a text, and polls.
		costs(sandbox.ListProjects, sandbox.ListProjects, sandbox.CreateProject, sandbox.ListProductsOfProject, sandbox.CreateProduct,
			sandbox.Upload, sandbox.Upload, sandbox.Upload, sandbox.FinishUpload, sandbox.ListImages, sandbox.SetAltTexts, sandbox.Embed)

		w.Published()
		costs()
		w.Age("Summer/SKU-1/img1.jpg")
		w.Shoot("a", "Summer/SKU-1/img2.jpg") // the same content again
		w.Published()
		costs()

		w.Shoot("b", "Summer/SKU-1/img2.jpg")
		after := w.Published()["Summer/SKU-1"]
		if after.UUID != before.UUID || after.Revision == before.Revision {
			t.Errorf("product %s revision %d became product %s revision %d", before.UUID, before.Revision, after.UUID, after.Revision)
		}
		// Six, the frames, a text, and polls.
		costs(sandbox.ReadStatus, sandbox.ListImages, sandbox.ListImages, sandbox.UpdateProduct, sandbox.Upload, sandbox.Upload,
			sandbox.Upload, sandbox.FinishUpload, sandbox.ListImages, sandbox.SetAltTexts)
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
