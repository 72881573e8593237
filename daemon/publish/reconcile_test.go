package publish

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

func publishedWith(size int64) *syncstate.Published {
	return &syncstate.Published{Images: 1, Frames: []syncstate.Frame{{File: syncstate.File{Name: "1.jpg", Size: size}}}}
}

// A folder whose own view is gone keeps its record, although a root that is not watched has one of
// its path.
func TestRecordOfAnotherRootIsForAFolderWithout(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	p, key, s := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
	old := syncstate.Folder{Root: "/old", Path: key.Path}
	p.Unwatched = []string{old.Root}
	j := NewJob(p, key, nil)
	keep(t, NewJob(p, old, nil), syncstate.Record{Product: syncstate.Product{UUID: "other"}})
	s.Facts.Wanted, s.Facts.Snapshot = plan.Product{Project: "Winter", Title: "new", SKU: "new"}, plantest.AScene(1).Facts.Snapshot
	gone := errors.New("the view is gone")
	if err := j.parts.reconciler.seek(t.Context(), s, gone); err != gone {
		t.Errorf("it ends with %v", err)
	}
	if r, err := j.record.records.Store.Record(old); err != nil || r.Product.UUID != "other" {
		t.Errorf("the other record is %+v, %v", r, err)
	}
}

// TestWhoseAViewIs: a folder without a product gets the view that shows its photos, whatever its
// title and project are. One of its SKU in its project that shows others is a person's to give, and
// any other one is another product's.
func TestWhoseAViewIs(t *testing.T) {
	own := plan.Product{Project: "Summer", SKU: "SKU-1", Title: "Kettle"}
	elsewhere := plan.Product{Project: "Winter", SKU: "SKU-1", Title: "SKU-1"}
	for name, test := range map[string]struct {
		wanted   plan.Product
		photo    string // of the folder
		more     bool   // another view shows the same
		moves    bool   // the folder is not at rest
		waits    bool   // one more is to come
		refused  bool   // the products may not be listed
		unseen   bool   // the service refuses the view's files
		namesake string // a folder that has the view's name
		want     status.Kind
		found    bool
	}{
		"its photos":                               {wanted: own, photo: "photo", found: true},
		"its photos, elsewhere":                    {wanted: elsewhere, photo: "photo", found: true},
		"its photos, twice":                        {wanted: own, photo: "photo", more: true, want: status.SeveralAlike},
		"its photos, and another folder's name":    {wanted: own, photo: "photo", namesake: "Summer/SKU-9"},
		"its photos so far, of two":                {wanted: own, photo: "photo", waits: true, want: status.TooFew},
		"its photos, which are being written":      {wanted: own, photo: "photo", moves: true},
		"other photos":                             {wanted: own, photo: "another", want: status.PreviousView},
		"other photos, and another folder's name":  {wanted: own, photo: "another", namesake: "Summer/SKU-9"},
		"other photos, elsewhere":                  {wanted: elsewhere, photo: "another"},
		"photos that nobody may see":               {wanted: elsewhere, photo: "photo", unseen: true, want: status.PreviousView},
		"a project elsewhere that may not be seen": {wanted: elsewhere, photo: "photo", refused: true},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if test.refused && c.Op == sandbox.ListProductsOfProject || test.unseen && c.Op == sandbox.DownloadSources {
				return sandbox.Fault{Status: 403, Body: `{"errors":["no"]}`}
			}
			return sandbox.Fault{}
		})
		product, _ := uploaded(t, client, 1)
		if test.more {
			projects, err := client.Projects(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			uploadedTo(t, client, apiclient.NewProduct{Title: "Pan", SKU: "SKU-1", Project: projects[0].UUID, Images: 1})
		}
		j := inDoubt(t, client, test.photo)
		j.parts.reconciler.views.lookalikes.others = cleared{namesake: test.namesake}
		s, err := j.parts.reconciler.comparer.scene()
		s.Facts.Wanted = test.wanted
		if j.Folder.Snapshot.Frames[0].Still = !test.moves; test.waits {
			s.Facts.Rules.Frames = 2
		}
		if err == nil {
			err = j.parts.reconciler.reconcile(t.Context(), plantest.Judged(s))
		}
		o := outcome.Of(err)
		if (o == nil) != (test.want == "") || o != nil && !o.Cause.Is(test.want) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := j.record.read()
		if err != nil || (r.Product.UUID == product) != test.found || r.Doubted != (test.found || test.moves || test.want != "") {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
	}
}

// TestViewOfOthers: a view that was found by its name, below a root that is known, and shows other
// photos, is a person's to give. It stays as it is for a folder that has another name since. While
// the root is not known, it is the folder's of before.
func TestViewOfOthers(t *testing.T) {
	for name, test := range map[string]struct {
		title, photo string
		frames       int
		unknown      bool // the root
		want         status.Kind
		has, owed    bool
	}{
		"its photos":                    {title: "SKU-1", photo: "photo", has: true},
		"other photos":                  {title: "SKU-1", photo: "another", want: status.OthersView, has: true},
		"other photos so far":           {title: "SKU-1", photo: "another", frames: 2, want: status.TooFew, has: true},
		"other photos, of another name": {title: "Kettle", photo: "another"},
		"its photos, of another name":   {title: "Kettle", photo: "photo", has: true},
		"other photos, unknown root":    {title: "SKU-1", photo: "another", unknown: true, has: true, owed: true},
	} {
		client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
		product, _ := uploaded(t, client, 1)
		j := inDoubt(t, client, test.photo)
		j.Folder.Root.Known.Store(!test.unknown)
		s, err := j.parts.reconciler.comparer.scene()
		s.Record.Product = syncstate.Product{UUID: product, SKU: "SKU-1", Title: "SKU-1"}
		s.Facts.Wanted.Title, s.Facts.Rules.Frames = test.title, test.frames
		keep(t, j, s.Record)
		if err == nil {
			err = j.parts.reconciler.reconcile(t.Context(), plantest.Judged(s))
		}
		o := outcome.Of(err)
		if (o == nil) != (test.want == "") || o != nil && !o.Cause.Is(test.want) {
			t.Errorf("%s: %v", name, err)
		}
		r, err := j.record.read()
		if err != nil || (r.Product.UUID == product) != test.has || (r.Run != nil) != test.owed || r.Doubted != (test.want != "") {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
	}
}

// TestViewWhoseFilesAreRefused: a view that was found by its photos is kept for a folder of another name
// while the service refuses its files.
func TestViewWhoseFilesAreRefused(t *testing.T) {
	client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
		if c.Op == sandbox.DownloadSources {
			return sandbox.Fault{Status: 403, Body: `{"errors":["no"]}`}
		}
		return sandbox.Fault{}
	})
	product, _ := uploaded(t, client, 1)
	j := inDoubt(t, client, "photo")
	j.Folder.Root.Known.Store(true)
	s, err := j.parts.reconciler.comparer.scene()
	if err != nil {
		t.Fatal(err)
	}
	s.Record.Product = syncstate.Product{UUID: product, SKU: "SKU-1", Title: "SKU-1"}
	s.Facts.Wanted.Title = "Kettle"
	keep(t, j, s.Record)
	if err := j.parts.reconciler.reconcile(t.Context(), plantest.Judged(s)); !errors.Is(err, view.ErrNoSources) {
		t.Errorf("it ends with %v", err)
	}
	if r, err := j.record.read(); err != nil || r.Product.UUID != product || !r.Doubted {
		t.Errorf("the record is %+v, %v", r, err)
	}
}

// TestGoneProductBesideOneOfItsName: a folder whose product is gone takes none that another folder has,
// also where that one is gone: a person is asked, whose retry has it searched for its view.
func TestGoneProductBesideOneOfItsName(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	product, _ := uploaded(t, client, 1)
	j := inDoubt(t, client, "photo")
	other := syncstate.Folder{Root: j.record.key.Root, Path: "old"}
	keep(t, NewJob(&Publisher{Records: j.record.records}, other, nil), syncstate.Record{Product: syncstate.Product{UUID: product}})
	s, err := j.parts.reconciler.comparer.scene()
	s.Record.Product = syncstate.Product{UUID: "00000000-0000-4000-8000-000000000000", SKU: "SKU-1", Title: "SKU-1"}
	keep(t, j, s.Record)
	if err == nil {
		err = j.parts.reconciler.seek(t.Context(), s, outcome.Because(status.ProductGone))
	}
	if !outcome.Needs(err, status.ProductGone) {
		t.Errorf("it ends with %v", err)
	}
}

// inDoubt is the work on a folder of one photo that the state file does not know.
func inDoubt(t *testing.T, client *apiclient.Client, photo string) *Job {
	t.Helper()
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	file := filepath.Join(key.Root, key.Path, "0000.jpg")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(photo), 0o644)); err != nil {
		t.Fatal(err)
	}
	p := &Publisher{
		Service: &hosting.Service{Client: client, Memory: &hosting.Memory{}, Boot: time.Now},
		Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler),
		Neighbours: cleared{}, Keeper: cleared{},
	}
	p.Files.Watcher = watching(t, key.Root)
	j := NewJob(p, key, &reading.Root{Readers: make(chan struct{}, 1)})
	keep(t, j, syncstate.Record{Doubted: true})
	var err error
	if j.Folder.Snapshot, err = p.Files.Watcher.ReadFolder(t.Context(), key.Root, key.Path); err != nil || len(j.Folder.Snapshot.Frames) != 1 {
		t.Fatal(j.Folder.Snapshot, err)
	}
	j.Folder.Snapshot.Frames = slices.Clone(j.Folder.Snapshot.Frames) // the watcher has them too
	j.Folder.Snapshot.Frames[0].Still = true
	j.parts.reconciler.comparer.scene = func() (plan.Scene, error) {
		s, f := plantest.AScene(0), j.Folder.Snapshot.Frames[0]
		j.Folder.Readings = map[string]plan.Reading{f.Name: {File: plan.FileOf(f), Whole: true, Digest: plantest.DigestOf(photo)}}
		s.Facts.Snapshot.Frames, s.Facts.Readings, s.Record.Doubted = j.Folder.Snapshot.Frames, j.Folder.Readings, true
		return plantest.Judged(s), nil
	}
	return j
}
