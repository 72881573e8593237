package publish

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"testing"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/plan/plantest"
	"spinsync/daemon/reading"
	"spinsync/syncstate"
	"spinsync/watcher"
)

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
		isNew          bool   // the folder came when its root was known
		directory      string // of both roots, as it is recorded
	}{
		"a view":                   {[]syncstate.Record{shoe}, true, true, false, ""},
		"a run":                    {[]syncstate.Record{begun}, true, false, false, ""},
		"a create":                 {[]syncstate.Record{asked}, true, false, false, ""},
		"nothing that is there":    {[]syncstate.Record{empty}, false, false, false, ""},
		"of one of two roots":      {[]syncstate.Record{empty, shoe}, true, true, false, ""},
		"of each of two roots":     {[]syncstate.Record{shoe, asked}, false, false, false, ""},
		"no root has another path": {nil, false, false, false, ""},
		"of another project":       {other(func(r *syncstate.Record) { r.Project.Title = "Winter" }), false, false, false, ""},
		"of another SKU":           {other(func(r *syncstate.Record) { r.Product.SKU = "SKU-2" }), true, true, false, ""},
		"of another title":         {other(func(r *syncstate.Record) { r.Product.Title = "Boot" }), true, true, false, ""},
		"of another SKU and title": {other(func(r *syncstate.Record) { r.Product.SKU, r.Product.Title = "SKU-2", "Boot" }), false, false, false, ""},
		"of another project, with the same photos": {other(func(r *syncstate.Record) {
			r.Project.Title, r.Published = "Winter", publishedWith(5)
		}), true, true, false, ""},
		"of another project, with another photo": {other(func(r *syncstate.Record) {
			r.Project.Title, r.Published = "Winter", publishedWith(6)
		}), false, false, false, ""},
		"of the same name, for a new folder":                       {[]syncstate.Record{shoe}, false, false, true, ""},
		"of the same name and under way, for a new folder":         {[]syncstate.Record{begun}, true, false, true, ""},
		"of the same photos, for a new folder":                     {other(func(r *syncstate.Record) { r.Published = publishedWith(5) }), true, true, true, ""},
		"of the same name, for a new folder of the same directory": {[]syncstate.Record{shoe}, true, true, true, `{"fs":"ext4","id":"a","root":7}`},
		"of the same name, for a new folder of a like drive":       {[]syncstate.Record{shoe}, false, false, true, `{"fs":"xfs","id":"","root":7}`},
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
			err := p.Records.Store.UpdateRoot(from.Root, func(r *syncstate.RootRecord) error {
				r.Known, r.Volume = true, test.directory
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		err := p.Records.Store.UpdateRoot("/new", func(r *syncstate.RootRecord) error { r.Volume = test.directory; return nil })
		if err != nil {
			t.Fatal(err)
		}
		j := NewJob(p, syncstate.Folder{Root: "/new", Path: "SKU-1"}, nil)
		wanted.Record.Doubted = !test.isNew
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
		forgotten := false
		for _, from := range p.Unwatched {
			was, err := p.Records.Store.Root(from)
			if forgotten = forgotten || !was.Known; err != nil {
				t.Fatal(err)
			}
		}
		if forgotten != test.taken {
			t.Errorf("%s: a root that got another path is known there: %t", name, !forgotten)
		}
		owner, owned := j.record.records.Index.Another(syncstate.Folder{}, "shoe")
		if test.taken && (owned != (r.Product.UUID != "") || owned && owner != j.record.key) {
			t.Errorf("%s: the view is that of %q", name, owner)
		}
	}
}

// Of two folders with one path, below two new roots, one takes the record. The other has none, and
// leaves none behind.
func TestRecordIsTakenOnce(t *testing.T) {
	p := &Publisher{Keeper: held{}, Records: NewRecords(plantest.Store(t)), Log: slog.New(slog.DiscardHandler)}
	from := syncstate.Folder{Root: "/old", Path: "SKU-1"}
	keep(t, NewJob(p, from, nil), syncstate.Record{Product: syncstate.Product{UUID: "shoe"}})
	take := func(root string) error {
		return NewJob(p, syncstate.Folder{Root: root, Path: "SKU-1"}, new(reading.Root)).heir.unwatched.takeRecord(from)
	}
	if first, second := take("/new"), take("/newer"); first != nil || !errors.Is(second, outcome.ErrChanged) {
		t.Errorf("the first: %v; the second: %v", first, second)
	}
	for key := range p.Records.Store.Heads() {
		if key.Root != "/new" {
			t.Errorf("recorded is %s", key)
		}
	}
}

// A kill while a record is taken over leaves nothing that would be believed without a comparison.
func TestRecordIsDoubtedBeforeItIsTaken(t *testing.T) {
	for commits := range 2 {
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
