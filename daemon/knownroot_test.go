package daemon_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestNewFolderBesideOneThatWaits: a root is known although its folders wait for their marker, or for a
// person, for long. A folder that comes then asks a person where somebody else made a view of its name.
func TestNewFolderBesideOneThatWaits(t *testing.T) {
	daemontest.Story(t, shortQuiet+"marker = \"done.txt\"\n", func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/good/1.jpg", "Summer/half/1.jpg")
		w.Write("Summer/cut/1.jpg", daemontest.Photo("cut")[:200])
		w.Write("Summer/good/done.txt", "done")
		w.While(func(d *daemon.Daemon, until daemontest.Await) {
			until(daemontest.In(status.Published, 1))
			time.Sleep(time.Hour)
			makeTheirs(t, w)
			w.Shoot("b", "Summer/SKU-9/1.jpg", "Summer/SKU-9/2.jpg")
			w.Write("Summer/SKU-9/done.txt", "done")
			until(func(all []status.ProductStatus) bool {
				return slices.ContainsFunc(all, func(p status.ProductStatus) bool {
					return p.Folder == "Summer/SKU-9" && (p.State == status.Attention || p.State == status.Published)
				})
			})
			if !daemontest.In(status.Attention, 2)(d.Status().Products) {
				t.Error("a view of others was replaced, and nobody was asked")
			}
		})
	})
}

// makeTheirs has somebody else make a view of SKU-9 in the project.
func makeTheirs(t *testing.T, w *daemontest.World) {
	t.Helper()
	client := w.Client()
	projects, err := client.Projects(t.Context())
	daemontest.Must(t, err)
	theirs, err := client.CreateProduct(t.Context(), apiclient.NewProduct{Title: "SKU-9", SKU: "SKU-9", Project: projects[0].UUID, Images: 1})
	daemontest.Must(t, err)
	photo := daemontest.Photo("theirs")
	daemontest.Must(t, client.Upload(t.Context(), theirs, apiclient.File{
		Name: "theirs.jpg", ContentType: "image/jpeg", Size: int64(len(photo)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(photo)), nil },
	}))
	daemontest.Must(t, client.FinishUpload(t.Context(), theirs.UUID))
	time.Sleep(time.Minute)
}

// TestFolderBelowARootThatIsAdded: a state file that is in use knows the views of its folders. So a root
// that comes into sync.toml has new ones, and a person is asked where somebody else made a view of its
// name: at once, and after a start at which the root was not read through yet. It makes no
// difference that another root was taken out of sync.toml, whose folders the file knows still.
func TestFolderBelowARootThatIsAdded(t *testing.T) {
	for name, before := range map[string]string{"to one": "", "where another one was": strings.Replace(otherRoot, "elsewhere", "taken out", 1)} {
		t.Run(name, func(t *testing.T) {
			daemontest.Story(t, shortQuiet+before, func(t *testing.T, w *daemontest.World) {
				w.Shoot("a", "Summer/stays/1.jpg")
				w.Shoot("c", "../taken out/Summer/old/1.jpg")
				w.Published()
				makeTheirs(t, w)
				w.TOML = shortQuiet + otherRoot
				w.Mkdir("../elsewhere")
				w.Shoot("b", "../elsewhere/Summer/SKU-9/1.jpg")
				w.RunUntil(func(all []status.ProductStatus) bool { return len(all) == 2 })
				w.Shoot("b", "../elsewhere/Summer/SKU-9/2.jpg")
				if products, _ := w.Sync(); products["Summer/SKU-9"].State != status.Attention {
					t.Errorf("the folder is %+v", products["Summer/SKU-9"])
				}
			})
		})
	}
}

// TestListsOfOneProject: the folders of a project share its lists, as after a lost state file.
func TestListsOfOneProject(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		for n := range 24 {
			w.Shoot("a", fmt.Sprintf("Summer/SKU-%02d/1.jpg", n))
		}
		w.Published()
		daemontest.Must(t, os.Remove(w.State))
		w.Calls.Since()
		_, err := w.Rebuild()
		daemontest.Must(t, err)
		if lists := countOp(w.Calls.Since(), sandbox.ListProductsOfProject); lists > 8 {
			t.Errorf("%d lists of one project for 24 folders", lists)
		}
	})
}
