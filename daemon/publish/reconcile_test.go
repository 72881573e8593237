package publish

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math"
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
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A view that is not finished proves nothing, even if it shows exactly the folder's frames: the
// images of another upload may be on their way.
func TestUnfinishedViewProvesNothing(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	p, _, s := publisherOf(t, client, 1, func(commit func() error) error { return commit() })
	product := s.Record.Product.UUID
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
	onTheWay := syncstate.Frame{File: syncstate.File{Name: "0000.jpg"}, AltCarry: map[string]string{"fr": "Une chaussure"}}
	scene.Record.Published = &syncstate.Published{Frames: []syncstate.Frame{onTheWay}}
	scene = plantest.Judged(scene)
	digest := sha256.Sum256([]byte("photo"))
	j.parts.reconciler.comparer.scene = func() (plan.Scene, error) {
		j.Folder.Readings = map[string]plan.Reading{"0000.jpg": {Digest: digest[:]}}
		return scene, nil
	}
	for _, finished := range []bool{true, false} {
		answer := apiclient.Status{SourceRevision: images[0].SourceRevision, ImageStatus: "processing"}
		if finished {
			answer.ImageStatus = apiclient.StatusFinished
		}
		found, differs, err := j.parts.reconciler.comparer.recognise(t.Context(), product, answer, images)
		if err != nil || (found != nil) != finished || !finished && !differs.Is(status.StillProcessing) {
			t.Errorf("finished %t: recognised as %+v, %+v, %v", finished, found, differs, err)
		}
		if found != nil && found.Frames[0].AltCarry["fr"] == "" {
			t.Error("the text on the way to an image is lost")
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
		var followed []syncstate.Folder
		p := &Publisher{
			Keeper: held{followed: &followed}, Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler),
		}
		for i, record := range test.records {
			from := syncstate.Folder{Root: fmt.Sprint("/old", i), Path: "SKU-1"}
			record.Shown.State, record.Wishes.Paused = "published", plantest.Noon
			keep(t, NewJob(p, from, nil), record)
			p.Unwatched = append(p.Unwatched, from.Root)
		}
		j := NewJob(p, syncstate.Folder{Root: "/new", Path: "SKU-1"}, nil)
		j.Folder.Snapshot.Frames = []watcher.File{{Name: "1.jpg", Size: 5}}
		taken, err := j.heir.unwatched.takeOver(wanted)
		if err != nil || taken != test.taken || j.record.unchecked != test.taken {
			t.Errorf("%s: taken %t, unchecked %t, %v", name, taken, j.record.unchecked, err)
		}
		r, err := j.record.read()
		if err != nil || (r.Shown.State != "") != test.taken || r.Wishes.Paused.IsZero() == test.taken || r.Doubted != test.doubted {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
		if slices.Contains(followed, j.record.key) != test.taken {
			t.Errorf("%s: the board follows the pauses of %q", name, followed)
		}
		owner, owned := j.record.records.Index.Another(syncstate.Folder{}, "shoe")
		if test.taken && (owned != (r.Product.UUID != "") || owned && owner != j.record.key) {
			t.Errorf("%s: the view is that of %q", name, owner)
		}
	}
}

// A kill while a record is taken over leaves nothing that would be believed without a comparison.
func TestRecordIsDoubtedBeforeItIsTaken(t *testing.T) {
	for commits := range 4 {
		left := math.MaxInt
		store := plantest.ObservedStore(t, func(commit func() error) error {
			if left--; left < 0 {
				return errors.New("killed")
			}
			return commit()
		})
		from := syncstate.Folder{Root: "/old", Path: "SKU-1"}
		p := &Publisher{Keeper: held{}, Records: NewRecords(store), Log: slog.New(slog.DiscardHandler)}
		keep(t, NewJob(p, from, nil), syncstate.Record{Shown: syncstate.Shown{State: "published"}, Product: syncstate.Product{UUID: "shoe"}})
		j := NewJob(p, syncstate.Folder{Root: "/new", Path: "SKU-1"}, new(reading.Root))
		left = commits
		err := j.heir.unwatched.takeRecord(from)
		if left = math.MaxInt; err != nil {
			if err := store.Reopen(); err != nil {
				t.Fatal(err)
			}
		}
		if r, err := store.Record(j.record.key); err != nil || r.Product.UUID != "" && !r.Doubted {
			t.Errorf("killed after %d commits: the record is %+v, %v", commits, r, err)
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
		from := syncstate.Folder{Root: "/new/2026", Path: "SKU-1"}
		p := &Publisher{
			Keeper: held{}, Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler),
			Unwatched: []string{from.Root},
		}
		j := NewJob(p, syncstate.Folder{Root: "/new", Path: "2026/SKU-1"}, nil)
		keep(t, NewJob(p, from, nil), syncstate.Record{Product: syncstate.Product{UUID: "shoe"}, Published: publishedWith(size)})
		j.Folder.Snapshot.Frames = []watcher.File{{Name: "1.jpg", Size: 5}}
		got, err := j.heir.inherit(t.Context(), from)
		if err != nil || got != took {
			t.Errorf("%d bytes: taken %t, %v", size, got, err)
		}
		if r, err := j.record.read(); err != nil || (r.Product.UUID == "shoe") != took || r.Doubted != took {
			t.Errorf("%d bytes: the record is %+v, %v", size, r, err)
		}
	}
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

// A product that is gone, and still listed, is no view of the folder's name, and none that it may have
// had before.
func TestGoneProductIsNoCandidate(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	projects, err := client.Projects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	own := syncstate.Project{UUID: projects[0].UUID, Title: projects[0].Title}
	for product, want := range map[string]int{s.Record.Product.UUID: 0, "another": 1} {
		s.Record.Product.UUID, s.Facts.Wanted = product, plan.Product{SKU: "SKU-1", Title: "SKU-1"}
		if one, err := j.parts.reconciler.views.seekByName(t.Context(), s, own.UUID); err != nil || (one.UUID != "") != (want > 0) {
			t.Errorf("of its name is %+v, %v", one, err)
		}
		s.Facts.Wanted.Title = "Shoe"
		if found, err := j.parts.reconciler.views.lookalikes.candidates(t.Context(), s, own, projects); err != nil || len(found) != want {
			t.Errorf("found are %+v, %v", found, err)
		}
	}
}

// A folder whose view differs is owed an upload, and is known by its frames from then on. The texts that
// were on their way to its images come with it.
func TestFolderThatIsOwedAnUploadIsKnownByItsFrames(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, s := published(t, client, 1, func(commit func() error) error { return commit() })
	s.Facts.Snapshot, s.Facts.Readings = plantest.AScene(2).Facts.Snapshot, plantest.AScene(2).Facts.Readings
	s.Record.Published.Frames[0].AltCarry = map[string]string{"fr": "Une chaussure"}
	s = plantest.Judged(s)
	if err := j.parts.reconciler.comparer.owe(s, nil); err != nil {
		t.Fatal(err)
	}
	r, err := j.record.read()
	if err != nil || !r.Run.In(syncstate.Owed) || len(r.Run.Frames) != 2 || r.Run.Carry["0000.jpg"]["fr"] == "" {
		t.Errorf("the run is %+v, %v", r.Run, err)
	}
	if id := r.Published.Frames[0].ImageID; id != 0 {
		t.Errorf("the frame is still known as image %d, whose id may be another's", id)
	}
}

// TestWhoseAViewIs: a folder without a product gets the view that shows its photos, whatever its title
// and project are. One of its SKU in its project that shows others is a person's to give, and any
// other one is another product's.
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
		namesake string // a folder that has the view's name
		want     status.Kind
		found    bool
	}{
		"its photos":                               {wanted: own, photo: "photo", found: true},
		"its photos, elsewhere":                    {wanted: elsewhere, photo: "photo", found: true},
		"its photos, twice":                        {wanted: own, photo: "photo", more: true, want: status.SeveralAlike},
		"its photos, and another folder's name":    {wanted: own, photo: "photo", namesake: "Summer/SKU-9"},
		"its photos so far, of two":                {wanted: own, photo: "photo", waits: true, want: status.TooFew},
		"its photos, which are being written":      {wanted: own, photo: "photo", moves: true, want: status.LookingAtView},
		"other photos":                             {wanted: own, photo: "another", want: status.PreviousView},
		"other photos, and another folder's name":  {wanted: own, photo: "another", namesake: "Summer/SKU-9"},
		"other photos, elsewhere":                  {wanted: elsewhere, photo: "another"},
		"a project elsewhere that may not be seen": {wanted: elsewhere, photo: "photo", refused: true},
	} {
		client := sandboxClient(t, func(c *sandbox.Call) sandbox.Fault {
			if test.refused && c.Op == sandbox.ListProductsOfProject {
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
		if err != nil || (r.Product.UUID == product) != test.found || r.Doubted != (test.found || test.want != "") {
			t.Errorf("%s: the record is %+v, %v", name, r, err)
		}
	}
}

// TestViewOfOthers: a view that was found by its name, below a root that is known, and shows other
// photos, is a person's to give. It stays as it is for a folder that has another name since. While the
// root is not known, it is the folder's of before.
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
		s, f, digest := plantest.AScene(0), j.Folder.Snapshot.Frames[0], sha256.Sum256([]byte(photo))
		j.Folder.Readings = map[string]plan.Reading{f.Name: {File: plan.FileOf(f), Whole: true, Digest: digest[:]}}
		s.Facts.Snapshot.Frames, s.Facts.Readings, s.Record.Doubted = j.Folder.Snapshot.Frames, j.Folder.Readings, true
		return plantest.Judged(s), nil
	}
	return j
}
