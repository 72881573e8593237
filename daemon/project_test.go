package daemon_test

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// TestProjectThatIsGone: a folder of a project that was deleted on the service waits for a person,
// who names a folder. Then the project is made again: once, however many folders are named, and
// whatever the HTTP status of an answer with errors. While the list has the old project, spinsync
// takes that one and makes none.
func TestProjectThatIsGone(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusUnprocessableEntity, http.StatusOK} {
		t.Run(http.StatusText(status), func(t *testing.T) { testProjectThatIsGone(t, status) })
	}
}

func testProjectThatIsGone(t *testing.T, current int) {
	w := newOddWorld(t, "frames = 1\n"+shortQuiet, func(o *servicetest.Options) { o.RemovedLag = time.Hour })
	w.shoot("a", "Summer/A/1.jpg")
	gone := w.published()["Summer/A"].Project.UUID
	if err := w.service.RemoveProject(gone); err != nil {
		t.Fatal(err)
	}
	var made, lists atomic.Int64 // projects that were made, and lists that have the old one still
	var mended, dropped atomic.Bool
	w.calls.spoil = func(c *sandbox.Call) sandbox.Fault {
		json := http.Header{"Content-Type": {"application/json"}}
		ofTheProject := c.Op == sandbox.ListProductsOfProject && strings.Contains(c.Request.URL.Path, gone)
		switch {
		case c.Op == sandbox.CreateProject:
			made.Add(1)
		case c.Op == sandbox.ListProjects && dropped.Load():
			return sandbox.Fault{Status: http.StatusOK, Body: "[]", Header: json}
		case c.Op == sandbox.ListProjects:
			lists.Add(1)
		case ofTheProject && !mended.Load():
			return sandbox.Fault{Status: http.StatusNotFound, Body: "<html>not found</html>", Header: http.Header{"Content-Type": {"text/html"}}}
		case ofTheProject:
			return sandbox.Fault{Status: current, Body: `{"errors":["no such project"]}`, Header: json}
		}
		return sandbox.Fault{}
	}
	w.shoot("b", "Summer/B/1.jpg", "Summer/C/1.jpg")
	asked := func(says string) func(products []status.ProductStatus) bool {
		return func(products []status.ProductStatus) bool {
			n := 0
			for _, p := range products {
				if p.State == status.Attention && strings.Contains(p.Reason, says) {
					n++
				}
			}
			return n == 2
		}
	}
	const isGone = "where the project is gone"
	w.while(func(d *daemon.Daemon, until await) {
		named := func(products []status.ProductStatus) {
			for _, p := range products {
				if p.State == status.Attention {
					retry(t, d, p.Key())
				}
			}
		}
		until(asked("has nothing at this address"))
		mended.Store(true)
		retry(t, d, syncstate.Folder{})
		until(asked(isGone))
		before := lists.Load()
		until(func(products []status.ProductStatus) bool {
			named(products)
			return lists.Load() > before
		})
		until(asked(isGone))
		if made.Load() > 0 {
			t.Error("the project was made although the list has one of its title")
		}
		dropped.Store(true)
		until(func(products []status.ProductStatus) bool {
			named(products)
			return count(products, status.Published) == 3
		})
	})
	products := w.published()
	if b, c := products["Summer/B"].Project, products["Summer/C"].Project; made.Load() != 1 || b.UUID == gone || b != c {
		t.Errorf("%d projects were made; B is in %+v and C in %+v", made.Load(), b, c)
	}
}

// TestViewThatIsStillListed: a view that was deleted on the service is made anew when a person asks
// for it, although lists have it still.
func TestViewThatIsStillListed(t *testing.T) {
	w := newOddWorld(t, "frames = 1\n"+shortQuiet, func(o *servicetest.Options) { o.RemovedLag = time.Hour })
	w.shoot("a", "Summer/A/1.jpg")
	gone := w.published()["Summer/A"].UUID
	if err := w.client().DeleteProduct(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	w.shoot("b", "Summer/A/1.jpg")
	w.while(func(d *daemon.Daemon, until await) {
		until(func(products []status.ProductStatus) bool { return count(products, status.Attention) == 1 })
		retry(t, d, w.key("Summer/A"))
		until(func(products []status.ProductStatus) bool { return count(products, status.Published) == 1 })
	})
	if p := w.published()["Summer/A"]; p.UUID == gone {
		t.Error("the folder has the view that is gone")
	}
}

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
