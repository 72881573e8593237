package simulation

import (
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
)

// TestNamesakesOfTwoProjects: a view stays in its project when its folder moves to another one, and
// gets the folder's new SKU there. Another folder of that SKU may have a view beside it, but no
// two.
func TestNamesakesOfTwoProjects(t *testing.T) {
	began := time.Now()
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	journal := []sandbox.Entry{
		{Time: at(0), Effect: sandbox.ProjectCreated, Project: "p-1", Title: "Winter"},
		{Time: at(1), Effect: sandbox.ProductCreated, Project: "p-1", Product: "a", SKU: "SKU-1"},
		{Time: at(3), Effect: sandbox.ProductUpdated, Project: "p-1", Product: "a", SKU: "SKU-1-moved"},
		{Time: at(4), Effect: sandbox.ProductCreated, Project: "p-1", Product: "b", SKU: "SKU-1-moved"},
	}
	twice := sandbox.Entry{Time: at(5), Effect: sandbox.ProductCreated, Project: "p-1", Product: "c", SKU: "SKU-1-moved"}
	studio := &studio{folders: []*folder{
		{name: "Winter/SKU-1-moved"},
		{name: "Summer/SKU-1-moved", came: []time.Time{at(2)}},
	}}
	for _, tt := range []struct {
		journal []sandbox.Entry
		broken  int
	}{{journal, 0}, {append(journal, twice), 1}} {
		w := &world{studio: studio, journal: tt.journal}
		if w.judgeUnique(); len(w.broken) != tt.broken {
			t.Errorf("%d creates break %q", len(tt.journal)-2, w.broken)
		}
	}
}

// TestFolderOfAnOldPath: a folder that was gone when its root got another path may get a second view
// there under another title, and no third one. One that stood then keeps its view.
func TestFolderOfAnOldPath(t *testing.T) {
	began := time.Now()
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	made := func(minute int, product, title string) sandbox.Entry {
		return sandbox.Entry{Time: at(minute), Effect: sandbox.ProductCreated, Product: product, SKU: "SKU-1", Title: title}
	}
	for name, test := range map[string]struct {
		gone    int // when the folder went; it is shot again after five minutes
		journal []sandbox.Entry
		broken  int
	}{
		"another title":            {2, []sandbox.Entry{made(1, "a", "SKU-1"), made(6, "b", "Teapot")}, 0},
		"the same title":           {2, []sandbox.Entry{made(1, "a", "SKU-1"), made(6, "b", "SKU-1")}, 1},
		"a third one":              {2, []sandbox.Entry{made(1, "a", "SKU-1"), made(6, "b", "Teapot"), made(7, "c", "Pot")}, 1},
		"it stood":                 {4, []sandbox.Entry{made(1, "a", "SKU-1"), made(6, "b", "Teapot")}, 1},
		"both before the new path": {0, []sandbox.Entry{made(1, "a", "SKU-1"), made(2, "b", "Teapot")}, 1},
	} {
		f := &folder{name: "Winter/SKU-1", root: &root{moved: at(3)}}
		f.history = []state{{since: began, present: true}, {since: at(test.gone)}, {since: at(5), present: true}}
		w := &world{studio: &studio{folders: []*folder{f}}, journal: test.journal}
		if w.judgeUnique(); len(w.broken) != test.broken {
			t.Errorf("%s: it breaks %q", name, w.broken)
		}
	}
}

// TestFolderOfARootThatANewFileDoesNotMeet: where the state file was lost, a folder whose root is in sync.toml
// only later may get a second view under another title. It is compared first if the root was there at the start.
func TestFolderOfARootThatANewFileDoesNotMeet(t *testing.T) {
	began := time.Now()
	at := func(minutes int) time.Time { return began.Add(time.Duration(minutes) * time.Minute) }
	made := func(minute int, product, title string) sandbox.Entry {
		return sandbox.Entry{Time: at(minute), Effect: sandbox.ProductCreated, Product: product, SKU: "SKU-1", Title: title}
	}
	for name, test := range map[string]struct {
		unwatched []span
		title     string
		broken    int
	}{
		"unwatched at the start":     {[]span{{at(2), at(5)}}, "Teapot", 0},
		"unwatched with its title":   {[]span{{at(2), at(5)}}, "SKU-1", 1},
		"watched all the time":       {nil, "Teapot", 1},
		"watched again by the start": {[]span{{at(2), at(3)}}, "Teapot", 1},
		"unwatched after the start":  {[]span{{from: at(5)}}, "Teapot", 1},
	} {
		f := &folder{name: "Winter/SKU-1", root: &root{unwatchings: test.unwatched}}
		f.history = []state{{since: began, present: true}}
		w := &world{trace: trace{began: began}, studio: &studio{folders: []*folder{f}}}
		w.luck.lost = lostTime{began, at(4)}
		w.journal = []sandbox.Entry{made(1, "a", "SKU-1"), made(6, "b", test.title)}
		if w.judgeUnique(); len(w.broken) != test.broken {
			t.Errorf("%s: it breaks %q", name, w.broken)
		}
	}
}
