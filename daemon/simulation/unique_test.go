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
