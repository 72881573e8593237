package daemon_test

import (
	"os"
	"testing"

	"spinsync/apiclient/sandbox"
	"spinsync/daemon/status"
)

// TestProjectNamedByItsUUID: a project that the folder's path names by its UUID is told by its
// title, also after the state file was lost, and the folders of both spellings share it.
func TestProjectNamedByItsUUID(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.shoot("a", "Summer/A/1.jpg")
	project := w.published()["Summer/A"].Project
	folder := project.UUID + "/B"
	w.shoot("b", folder+"/1.jpg")
	if p := w.published()[folder]; p.Project != project {
		t.Errorf("it is exported with the project %+v, not %+v", p.Project, project)
	}
	if err := os.Remove(w.state); err != nil {
		t.Fatal(err)
	}
	if _, err := w.rebuild(); err != nil {
		t.Fatal(err)
	}
	if p := w.published()[folder]; p.Project != project {
		t.Errorf("rebuilt it is exported with the project %+v, not %+v", p.Project, project)
	}
}

// TestProjectIsCorrected: what was wrong in sync.toml holds nothing up once it is corrected, and the
// product is made in the project that is named then.
func TestProjectIsCorrected(t *testing.T) {
	w := newWorld(t, shortQuiet)
	w.project = "0f6f3c7e-6e0b-4e0b-8d0c-5f0b9f6f3c7e"
	w.shoot("a", "SKU-1/1.jpg")
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 1 })
	w.project = "Sumer"
	w.calls.setSpoil(always(sandbox.CreateProduct, sandbox.Fault{Status: 403, Body: `{"errors":["no"]}`}))
	w.runUntil(func(products []status.ProductStatus) bool { return count(products, status.Retrying) == 1 })
	w.calls.setSpoil(nil)
	w.project = "Summer"
	if got := w.published()["SKU-1"].Project.Title; got != "Summer" {
		t.Errorf("it is made in the project %s", got)
	}
}
