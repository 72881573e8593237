package publish

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient"
	"spinsync/apiclient/sandbox"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan/plantest"
	"spinsync/syncstate"
)

// TestMissedProject: a project counts as gone after looks over the time that a list may lag. A look
// before its time does not count. The verdict stands for a while, also against a list that has the
// project still, and a miss of long ago is forgotten.
func TestMissedProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := plantest.Store(t)
		j := NewJob(&Publisher{Records: NewRecords(store)}, syncstate.Folder{Root: "/shoots", Path: "a"}, nil)
		summer := syncstate.Project{UUID: "summer", Title: "Summer"}
		if err := store.UpdateProject("Summer", func(p *syncstate.ProjectRecord) error { p.Project = summer; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := store.Update(j.Key, func(r *syncstate.Record) error { r.Project = summer; return nil }); err != nil {
			t.Fatal(err)
		}
		listed := false
		miss := func(patient bool, pause time.Duration) {
			t.Helper()
			next, more, err := j.creator.ask.missProject("summer", listed)
			if err != nil || more != patient || patient && time.Until(next) != pause {
				t.Errorf("patient %t until %s; want %t for %s (%v)", more, next, patient, pause, err)
			}
		}
		first, last := hosting.Ladder[0], len(hosting.Ladder)-1
		miss(true, first)
		miss(true, first)
		listed = true
		for range 2 * last {
			time.Sleep(first)
			miss(true, first)
		}
		listed = false
		time.Sleep(first + 2*missedMemory)
		for _, pause := range hosting.Ladder {
			miss(true, pause)
			time.Sleep(pause / 2)
			miss(true, pause/2)
			time.Sleep(pause / 2)
		}
		miss(false, hosting.Ladder[last])
		listed = true
		time.Sleep(missedMemory / 2)
		miss(false, 0)
		listed = false
		time.Sleep(missedMemory)
		miss(true, first)
	})
}

// TestProjectThatIsListedIsNotGone: a refusal stands as it is when the project is still listed
// after the time that a list may lag. Before that, and while no list has it, the folder waits.
func TestProjectThatIsListedIsNotGone(t *testing.T) {
	client := sandboxClient(t, func(*sandbox.Call) sandbox.Fault { return sandbox.Fault{} })
	j, _ := published(t, client, 1, func(commit func() error) error { return commit() })
	all, err := client.Projects(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	refusal := &apiclient.Error{Op: "list products", Status: 404, Messages: []string{"no such project"}}
	for name, test := range map[string]struct {
		project string
		since   time.Time
		waits   bool
	}{
		"listed for long":     {all[0].UUID, time.Now().Add(-time.Hour), false},
		"listed just now":     {all[0].UUID, time.Now(), true},
		"not listed for long": {"none", time.Now().Add(-time.Hour), true},
	} {
		project := syncstate.Project{UUID: test.project, Title: "Summer"}
		err := j.Records.UpdateProject("Summer", func(p *syncstate.ProjectRecord) error { p.Project = project; return nil })
		if err := errors.Join(err, j.Update(func(r *syncstate.Record) { r.Project = project })); err != nil {
			t.Fatal(err)
		}
		j.Service.Unknown.Learn(test.project, true, test.since)
		j.Service.Unknown.Learn(test.project, false, test.since)
		err = j.creator.ask.projectGone(t.Context(), test.project, refusal)
		if waits := outcome.Is(err, outcome.Waits); waits != test.waits || !waits && !errors.Is(err, error(refusal)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOwnershipOfARun: the revision is the run's own once the service went on since the finish, and
// doubtful until the files are compared.
func TestOwnershipOfARun(t *testing.T) {
	before := syncstate.Progress{Revision: 4, Status: "finished"}
	for name, test := range map[string]struct {
		run   syncstate.Run
		seen  syncstate.Progress
		doubt bool
		want  syncstate.Ownership
	}{
		"nothing has moved":  {syncstate.Run{BeforeFinish: &before}, before, false, syncstate.Unproven},
		"another status":     {syncstate.Run{BeforeFinish: &before}, syncstate.Progress{Revision: 4}, false, syncstate.Own},
		"it had no images":   {syncstate.Run{}, before, false, syncstate.Own},
		"it moved, and back": {syncstate.Run{BeforeFinish: &before, Ownership: syncstate.Own}, before, false, syncstate.Own},
		"another's revision": {syncstate.Run{BeforeFinish: &before, Ownership: syncstate.Own}, before, true, syncstate.Doubtful},
		"doubtful as it was": {syncstate.Run{Ownership: syncstate.Doubtful}, before, false, syncstate.Doubtful},
	} {
		if got := ownershipOf(&test.run, test.seen, test.doubt); got != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
