package daemon_test

import (
	"os"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// TestProjectNamedByItsUUID: a project that the folder's path names by its UUID is shown by its
// title, also after the state file was lost, and the folders of both spellings share it.
func TestProjectNamedByItsUUID(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Shoot("a", "Summer/A/1.jpg")
		project := w.Published()["Summer/A"].Project
		folder := project.UUID + "/B"
		w.Shoot("b", folder+"/1.jpg")
		if p := w.Published()[folder]; p.Project != project {
			t.Errorf("it is exported with the project %+v, not %+v", p.Project, project)
		}
		if err := os.Remove(w.State); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Rebuild(); err != nil {
			t.Fatal(err)
		}
		if p := w.Published()[folder]; p.Project != project {
			t.Errorf("rebuilt it is exported with the project %+v, not %+v", p.Project, project)
		}
	})
}

// TestProjectIsCorrected: what was wrong in sync.toml holds nothing up once it is corrected, and the
// product is made in the project that is named then.
func TestProjectIsCorrected(t *testing.T) {
	daemontest.Story(t, shortQuiet, func(t *testing.T, w *daemontest.World) {
		w.Project = "0f6f3c7e-6e0b-4e0b-8d0c-5f0b9f6f3c7e"
		w.Shoot("a", "SKU-1/1.jpg")
		w.RunUntil(daemontest.In(status.Attention, 1))
		w.Project = "Sumer"
		w.Calls.Spoil(daemontest.Always(sandbox.CreateProduct, sandbox.Fault{Status: 403, Body: `{"errors":["no"]}`}))
		w.RunUntil(daemontest.In(status.Retrying, 1))
		w.Calls.Spoil(nil)
		w.Project = "Summer"
		if got := w.Published()["SKU-1"].Project.Title; got != "Summer" {
			t.Errorf("it is made in the project %s", got)
		}
	})
}
