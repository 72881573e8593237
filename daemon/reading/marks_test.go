package reading

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/daemon/config"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/products"
	"spinsync/daemon/status"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// A folder during whose reading two processes in a row died is left to a person. What was read to an
// end, was listed otherwise or was given up by a process that ended as it should is read on, and so is
// what a machine read that was started since.
func TestFolderOverWhichProcessesDie(t *testing.T) {
	key, listing := syncstate.Folder{Root: "/shoots", Path: "SKU-\xff"}, watcher.Fingerprint{1}
	type life = func(m *Marks, read func() (done func()))
	dies := func(_ *Marks, read func() func()) { read() }
	for name, test := range map[string]struct {
		lives  []life
		deadly bool
	}{
		"once":                 {[]life{dies}, false},
		"twice":                {[]life{dies, dies}, true},
		"read between":         {[]life{dies, func(_ *Marks, read func() func()) { read()() }, dies}, false},
		"not begun between":    {[]life{dies, func(*Marks, func() func()) {}, dies}, true},
		"ended as it should":   {[]life{dies, func(m *Marks, read func() func()) { read(); m.End() }}, false},
		"a person says so":     {[]life{dies, dies, func(m *Marks, _ func() func()) { m.forget(key) }}, false},
		"the machine was off":  {[]life{dies, func(m *Marks, read func() func()) { m.boot = "another"; read() }}, false},
		"the file is not read": {[]life{dies, func(m *Marks, read func() func()) { read(); m.path += "/x"; m.forget(key) }}, true},
		"what is listed is another": {[]life{dies, func(m *Marks, _ func() func()) {
			if _, err := m.begin(t.Context(), key, watcher.Fingerprint{2}); err != nil {
				t.Error(err)
			}
		}}, false},
	} {
		path := filepath.Join(t.TempDir(), "state.db.reading")
		for _, live := range test.lives {
			m := openMarks(path)
			live(m, func() func() {
				done, err := m.begin(t.Context(), key, listing)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return done
			})
		}
		_, err := openMarks(path).begin(t.Context(), key, listing)
		if deadly := outcome.Needs(err, status.Deadly); deadly != test.deadly || !deadly && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of the folders of a root during whose reading a process died one is read at a time. The others are
// not held up, nor those of another root.
func TestSuspectsAreReadOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "state.db.reading")
		before := openMarks(path)
		key := func(name string) syncstate.Folder { return syncstate.Folder{Root: "/shoots", Path: name} }
		elsewhere := syncstate.Folder{Root: "/other", Path: "a"}
		for _, key := range []syncstate.Folder{key("a"), key("b"), elsewhere} {
			if _, err := before.begin(t.Context(), key, watcher.Fingerprint{1}); err != nil {
				t.Fatal(err)
			}
		}
		m, begun := openMarks(path), make(chan func(), 1)
		done, err := m.begin(t.Context(), key("a"), watcher.Fingerprint{1})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			next, err := m.begin(t.Context(), key("b"), watcher.Fingerprint{1})
			if err != nil {
				t.Error(err)
			}
			begun <- next
		}()
		synctest.Wait()
		if len(begun) > 0 {
			t.Error("two are read at a time")
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.begin(ended, key("b"), watcher.Fingerprint{1}); !errors.Is(err, context.Canceled) {
			t.Errorf("a stop does not end the wait: %v", err)
		}
		for _, free := range []syncstate.Folder{key("c"), elsewhere} {
			other, err := m.begin(t.Context(), free, watcher.Fingerprint{1})
			if err != nil {
				t.Fatal(err)
			}
			other()
		}
		done()
		(<-begun)()
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("nothing is read, and the file stays: %v", err)
		}
	})
}

// A folder that needs a person is read no more, for whatever reason, until it is another one or the
// person gives a retry.
func TestDeadlyFolderIsNotRead(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": "cut"})
	p.files.Marks = openMarks(filepath.Join(t.TempDir(), "state.db.reading"))
	p.files.Marks.marked[p.Key] = mark{Listing: p.Snapshot.Fingerprint, Deaths: mostDeaths}
	if err := p.Read(t.Context(), plan.Facts{}, plan.Need{Frames: p.Snapshot.Frames}); !outcome.Needs(err, status.Deadly) || len(p.Readings) > 0 {
		t.Errorf("%v, readings %v", err, p.Readings)
	}
	p.ForgetDeaths()
	for name, test := range map[string]struct {
		trouble *syncstate.Trouble
		blind   bool
	}{
		"left to a person": {&syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(status.Deadly), Content: p.Content()}, true},
		"listed otherwise": {&syncstate.Trouble{Kind: syncstate.NeedsPerson, Cause: status.Because(status.Deadly), Content: "other"}, false},
		"tried again":      {nil, false},
	} {
		facts := p.Facts(time.Now(), syncstate.Record{Trouble: test.trouble})
		if (facts.Blind != nil) != test.blind {
			t.Errorf("%s: blind %t", name, facts.Blind != nil)
		}
	}
}

// A folder with a row in the products file needs a person at the first read too, as by another
// process, or by a preview.
func TestDeadlyFolderWithARow(t *testing.T) {
	p := aFolder(t, map[string]string{"1.jpg": "cut"})
	table, err := config.ParseProductTable([]byte("folder,title\nSKU-1,Kettle\n"))
	if err != nil {
		t.Fatal(err)
	}
	p.Root.Products = products.New(p.Key.Root, "products.csv", 0)
	p.Root.Products.Take(&products.Content{Table: table})
	if row := p.factsNow().Row; row.Digest == "" {
		t.Fatalf("there is no row: %+v", row)
	}
	needed := syncstate.Record{Trouble: &syncstate.Trouble{
		Kind: syncstate.NeedsPerson, Cause: status.Because(status.Deadly), Content: p.Content(),
	}}
	next := New(p.files, p.Key, p.Root)
	next.Snapshot = p.Snapshot
	if next.Facts(time.Now(), needed).Blind == nil {
		t.Error("it is read")
	}
}

func openMarks(path string) *Marks {
	m := NewMarks(path)
	m.Open()
	return m
}
