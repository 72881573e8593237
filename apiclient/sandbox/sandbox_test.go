package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
)

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	users := []sandbox.User{{Name: user}}
	for want, opts := range map[string]sandbox.Options{
		"directory":         {Users: users},
		"at least one user": {Dir: t.TempDir()},
		"scheme and host":   {Dir: t.TempDir(), Users: users, PublicURL: "https://views.example.com/studio"},
		"storage version 3": {Dir: t.TempDir(), Users: users, StorageVersion: 3},
	} {
		_, err := sandbox.New(opts)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %s", err, want)
		}
	}
}

func TestADirectoryHasOneSandbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		open(t, func(o *sandbox.Options) { o.Dir = dir })
		_, err := sandbox.New(sandbox.Options{Dir: dir, Users: []sandbox.User{{Name: user}}})
		if err == nil || !strings.Contains(err.Error(), "another sandbox is using it") {
			t.Errorf("error %v, want one about another sandbox", err)
		}
	})
}

func TestDataOfANewerVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	opts := sandbox.Options{Dir: dir, Users: []sandbox.User{{Name: user}}}
	sandbox.SetVersion(t, opts, 3)
	if _, err := sandbox.New(opts); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("error %v, want one about the version", err)
	}
}

func TestEverythingSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		same := func(o *sandbox.Options) { o.Dir = dir }
		before := open(t, same)
		form := before.product(3)
		before.publish(form, frames(2)...)
		time.Sleep(processed)
		image := before.images(form.UUID)[0]
		_, err := before.client.SetAltTexts(t.Context(), image.ID, map[string]string{"en": "A shoe"})
		before.must(err)
		again := before.reupload(form.UUID, 2)
		before.upload(again, frames(1)...)
		want, journal, listed := before.only(), before.journal(), before.images(form.UUID)
		before.must(before.sandbox.Close())

		after := open(t, same)
		if diff := cmp.Diff(want, after.only()); diff != "" {
			t.Error("products changed:", diff)
		}
		if diff := cmp.Diff(journal, after.journal()); diff != "" {
			t.Error("the journal changed:", diff)
		}
		if diff := cmp.Diff(listed, after.images(form.UUID)); diff != "" {
			t.Error("images changed:", diff)
		}
		if got := after.send("GET", listed[1].MediaURL, nil); got.StatusCode != 200 {
			t.Errorf("media answers %s after the restart", got.Status)
		}
		after.publish(again, frames(2)[1:]...)
		if got := after.images(form.UUID); len(got) != 2 {
			t.Errorf("%d images of a form from before the restart, want 2", len(got))
		}
	})
}

func TestProcessingGoesOnWhileClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		same := func(o *sandbox.Options) { o.Dir, o.Processing = dir, time.Hour }
		before := open(t, same)
		form := before.product(1)
		before.publish(form, frames(1)...)
		before.must(before.sandbox.Close())
		time.Sleep(time.Hour)
		if status := open(t, same).status(form.UUID); !status.Finished() {
			t.Errorf("status %+v an hour later, want finished", status)
		}
	})
}

func TestWhatAKillLeftBehindIsRemoved(t *testing.T) {
	dir := t.TempDir()
	w := open(t, func(o *sandbox.Options) { o.Dir = dir })
	w.publish(w.product(1), frames(1)...)
	w.must(w.sandbox.Close())
	for _, name := range []string{"incoming/half", "files/unnamed", "sizes/unnamed/size.webp"} {
		path := filepath.Join(dir, name)
		w.must(os.MkdirAll(filepath.Dir(path), 0o700))
		w.must(os.WriteFile(path, []byte("x"), 0o600))
	}
	open(t, func(o *sandbox.Options) { o.Dir = dir })
	if got := filesBelow(t, dir); len(got) != 1 {
		t.Errorf("files %q, want the one source", got)
	}
}

// filesBelow lists the files of a sandbox but its state file.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFilesGoWithWhatTheyBelongTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		w := open(t, func(o *sandbox.Options) { o.Dir = dir })
		count := func(when string, want int) {
			t.Helper()
			if got := filesBelow(t, dir); len(got) != want {
				t.Errorf("%s: files %q, want %d", when, got, want)
			}
		}
		form := w.product(2)
		w.upload(form, frames(2)...)
		w.upload(form, frames(2)...)
		count("the same keys again", 2)
		w.upload(w.reupload(form.UUID, 3), frames(3)...)
		count("a new form", 3)
		w.must(w.client.FinishUpload(t.Context(), form.UUID))
		w.publish(w.reupload(form.UUID, 4), frames(4)...)
		count("a revision replaced before it was finished", 4)
		time.Sleep(processed)
		w.publish(w.reupload(form.UUID, 5), frames(5)...)
		count("a finished revision and one in processing", 4+5)
		time.Sleep(processed)
		w.send("GET", w.images(form.UUID)[0].ThumbnailURL, nil)
		count("a thumbnail was made", 4+5+1)
		w.upload(w.reupload(form.UUID, 1), frames(1)...)
		count("with files of an open form", 4+5+1+1)
		w.must(w.client.DeleteProduct(t.Context(), form.UUID))
		count("deleted", 0)
		w.upload(form, frames(1)...) // the store knows policies, not products
		count("uploaded after that", 0)
	})
}

func TestManyAtOnce(t *testing.T) {
	w := open(t, func(o *sandbox.Options) { o.Processing = -1 })
	project, err := w.client.CreateProject(t.Context(), "Crowd")
	w.must(err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			form, err := w.client.CreateProduct(t.Context(), apiclient.NewProduct{Title: "T", Project: project.UUID, Images: 4})
			if err != nil {
				t.Error(err)
				return
			}
			var uploads sync.WaitGroup
			for _, f := range frames(4) {
				uploads.Go(func() {
					if err := w.client.Upload(t.Context(), form, f); err != nil {
						t.Error(err)
					}
				})
			}
			uploads.Wait()
			if err := w.client.FinishUpload(t.Context(), form.UUID); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	products, err := w.sandbox.Products()
	w.must(err)
	ids := map[int64]bool{}
	for _, p := range products {
		for n, i := range p.Images {
			ids[i.ID] = true
			if i.Source != frames(4)[n].Name || i.Ordial != n+1 {
				t.Errorf("image %d is %s at %d", n+1, i.Source, i.Ordial)
			}
		}
		if len(p.Images) != 4 || !p.Status.Finished() {
			t.Errorf("product %s has %d images, status %+v", p.UUID, len(p.Images), p.Status)
		}
	}
	if len(products) != 8 || len(ids) != 32 {
		t.Errorf("%d products with %d different ids, want 8 with 32", len(products), len(ids))
	}
}
