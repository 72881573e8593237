package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A view that is not finished proves nothing, even if it shows exactly the folder's frames: the
// images of another upload may be on their way.
func TestUnfinishedViewProvesNothing(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	before, s := published(t, client, 1, func(commit func() error) error { return commit() })
	p, product := before.Publisher, s.Record.Product.UUID
	images, err := client.Images(t.Context(), product)
	if err != nil {
		t.Fatal(err)
	}
	key := syncstate.Folder{Root: t.TempDir(), Path: "SKU-1"}
	if err := os.Mkdir(filepath.Join(key.Root, key.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	p.Files.Watcher = watching(t, key.Root)
	j := NewJob(p, key, nil)
	scene := plantest.AScene(0)
	plantest.AddFrame(&scene, "0000.jpg")
	digest := sha256.Sum256([]byte("photo"))
	j.reconciler.scene = func() (plan.Scene, error) {
		j.Readings = map[string]plan.Reading{"0000.jpg": {Digest: digest[:]}}
		return scene, nil
	}
	for _, finished := range []bool{true, false} {
		answer := apiclient.Status{SourceRevision: images[0].SourceRevision, ImageStatus: "processing"}
		if finished {
			answer.ImageStatus = apiclient.StatusFinished
		}
		found, differs, err := j.reconciler.recognise(t.Context(), product, answer, images)
		if err != nil || (found != nil) != finished || !finished && !differs.Is(status.StillProcessing) {
			t.Errorf("finished %t: recognised as %+v, %+v, %v", finished, found, differs, err)
		}
	}
}

// A folder takes the record of its path below a root that is not watched any more: what was
// published is compared, what was begun goes on. What two roots have is taken from neither.
func TestRecordOfARootThatIsNotWatched(t *testing.T) {
	wanted := plan.Scene{Facts: plan.Facts{Wanted: plan.Product{Project: "Summer", SKU: "SKU-1", Title: "Shoe"}}}
	summer := syncstate.Project{UUID: "summer", Title: "Summer"}
	shoe := syncstate.Record{Project: summer, Product: syncstate.Product{UUID: "shoe", SKU: "SKU-1", Title: "Shoe"}}
	begun, empty := shoe, syncstate.Record{Project: summer}
	asked := syncstate.Record{Project: summer, Run: plantest.Making("SKU-1")}
	other := func(change func(*syncstate.Record)) []syncstate.Record {
		r := shoe
		change(&r)
		return []syncstate.Record{r}
	}
	begun.Run = &syncstate.Run{Phase: syncstate.Owed}
	for name, test := range map[string]struct {
		records        []syncstate.Record // one of each root
		taken, doubted bool
	}{
		"a view":                   {[]syncstate.Record{shoe}, true, true},
		"a run":                    {[]syncstate.Record{begun}, true, false},
		"a create":                 {[]syncstate.Record{asked}, true, false},
		"nothing that is there":    {[]syncstate.Record{empty}, false, false},
		"of one of two roots":      {[]syncstate.Record{empty, shoe}, true, true},
		"of each of two roots":     {[]syncstate.Record{shoe, asked}, false, false},
		"no root has another path": {nil, false, false},
		"of another project":       {other(func(r *syncstate.Record) { r.Project.Title = "Winter" }), false, false},
		"of another SKU":           {other(func(r *syncstate.Record) { r.Product.SKU = "SKU-2" }), true, true},
		"of another title":         {other(func(r *syncstate.Record) { r.Product.Title = "Boot" }), true, true},
		"of another SKU and title": {other(func(r *syncstate.Record) { r.Product.SKU, r.Product.Title = "SKU-2", "Boot" }), false, false},
		"of another project, with the same photos": {other(func(r *syncstate.Record) {
			r.Project.Title, r.Published = "Winter", publishedWith(5)
		}), true, true},
		"of another project, with another photo": {other(func(r *syncstate.Record) {
			r.Project.Title, r.Published = "Winter", publishedWith(6)
		}), false, false},
	} {
		j := NewJob(&Publisher{
			Neighbours: held{}, Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler),
		}, syncstate.Folder{Root: "/new", Path: "SKU-1"}, nil)
		for i, record := range test.records {
			from := syncstate.Folder{Root: fmt.Sprint("/old", i), Path: "SKU-1"}
			record.State = "published"
			keep(t, NewJob(j.Publisher, from, nil), record)
			j.Unwatched = append(j.Unwatched, from.Root)
		}
		j.Snapshot.Frames = []watcher.File{{Name: "1.jpg", Size: 5}}
		taken, err := j.creator.takeUnwatched(wanted)
		if err != nil || taken != test.taken || j.Unchecked != test.taken {
			t.Errorf("%s: taken %t, unchecked %t, %v", name, taken, j.Unchecked, err)
		}
		r, err := j.Records.Record(j.Key)
		if err != nil || (r.State != "") != test.taken || r.Doubted != test.doubted {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
		owner, owned := j.Records.Index.Another(syncstate.Folder{}, "shoe")
		if test.taken && (owned != (r.Product.UUID != "") || owned && owner != j.Key) {
			t.Errorf("%s: the view is that of %q", name, owner)
		}
	}
}

func publishedWith(size int64) *syncstate.Published {
	return &syncstate.Published{Images: 1, Frames: []syncstate.Frame{{File: syncstate.File{Name: "1.jpg", Size: size}}}}
}

// A product that is found by its name, and is that of a folder below a root that is not watched any
// more, becomes the folder's with the same photos alone.
func TestProductOfARootThatIsNotWatched(t *testing.T) {
	for size, took := range map[int64]bool{5: true, 6: false} {
		j := NewJob(&Publisher{
			Neighbours: held{}, Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler),
		}, syncstate.Folder{Root: "/new", Path: "2026/SKU-1"}, nil)
		from := syncstate.Folder{Root: "/new/2026", Path: "SKU-1"}
		keep(t, NewJob(j.Publisher, from, nil), syncstate.Record{Product: syncstate.Product{UUID: "shoe"}, Published: publishedWith(size)})
		j.Unwatched = []string{from.Root}
		j.Snapshot.Frames = []watcher.File{{Name: "1.jpg", Size: 5}}
		got, err := j.creator.inherit(t.Context(), from)
		if err != nil || got != took {
			t.Errorf("%d bytes: taken %t, %v", size, got, err)
		}
		if r, err := j.Records.Record(j.Key); err != nil || (r.Product.UUID == "shoe") != took || r.Doubted != took {
			t.Errorf("%d bytes: the record is %+v, %v", size, r, err)
		}
	}
}

// A folder whose own view is gone keeps its record, although a root that is not watched has one of
// its path.
func TestRecordOfAnotherRootIsForAFolderWithout(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	old := syncstate.Folder{Root: "/old", Path: j.Key.Path}
	keep(t, NewJob(j.Publisher, old, nil), syncstate.Record{Product: syncstate.Product{UUID: "other"}})
	j.Unwatched = []string{old.Root}
	s.Facts.Wanted, s.Facts.Snapshot = plan.Product{Project: "Winter", Title: "new", SKU: "new"}, plantest.AScene(1).Facts.Snapshot
	gone := errors.New("the view is gone")
	if err := j.reconciler.seekView(t.Context(), s, gone); err != gone {
		t.Errorf("it ends with %v", err)
	}
	if r, err := j.Records.Record(old); err != nil || r.Product.UUID != "other" {
		t.Errorf("the other record is %+v, %v", r, err)
	}
}

// A product that is gone, and still listed, is no view that the folder may have had before.
func TestGoneProductIsNoCandidate(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	j.Neighbours, s.Facts.Wanted = cleared{}, plan.Product{SKU: "SKU-1", Title: "Shoe"}
	projects, err := client.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := syncstate.Project{UUID: projects[0].UUID, Title: projects[0].Title}
	for product, want := range map[string]int{s.Record.Product.UUID: 0, "another": 1} {
		s.Record.Product.UUID = product
		if found, err := j.reconciler.candidates(t.Context(), s, own, projects); err != nil || len(found) != want {
			t.Errorf("found are %+v, %v", found, err)
		}
	}
}

// A folder whose view differs is owed an upload, and is known by its frames from then on.
func TestFolderThatIsOwedAnUploadIsKnownByItsFrames(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Facts.Snapshot, s.Facts.Readings = plantest.AScene(2).Facts.Snapshot, plantest.AScene(2).Facts.Readings
	if err := j.reconciler.owe(s, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := j.Records.Record(j.Key); err != nil || !r.Run.In(syncstate.Owed) || len(r.Run.Frames) != 2 {
		t.Errorf("the run is %+v, %v", r.Run, err)
	}
}
