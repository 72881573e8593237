package processtest

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spinsync/daemon/status"
)

// A studio is an installation with folders in which people work.
type studio struct {
	*installation
	t       *testing.T
	random  *rand.Rand
	service *service
	shoots  []*shoot
	roots   []string
}

// emptyStudio has a service, and neither roots nor a program yet.
func emptyStudio(t *testing.T, random *rand.Rand) *studio {
	return &studio{t: t, random: random, service: newService(t)}
}

// oneRoot has a root with some product folders, and no program yet.
func oneRoot(t *testing.T, random *rand.Rand, skus ...string) *studio {
	w := emptyStudio(t, random)
	path := filepath.Join(t.TempDir(), "shoots")
	w.roots = []string{path}
	for _, sku := range skus {
		w.shoots = append(w.shoots, newShoot(t, random, path, sku, 0))
	}
	return w
}

// shootEverywhere takes three frames for each folder.
func (w *studio) shootEverywhere() {
	for _, s := range w.shoots {
		s.shootAll(3)
	}
}

// newStudio has folders that are complete when they are quiet, and folders whose frames are sent as
// they arrive.
func newStudio(t *testing.T, random *rand.Rand) *studio {
	w := emptyStudio(t, random)
	quiet, counted := filepath.Join(t.TempDir(), "quiet"), filepath.Join(t.TempDir(), "counted")
	w.roots = []string{quiet, counted}
	w.shoots = []*shoot{
		newShoot(t, random, quiet, "Q-1", 0), newShoot(t, random, quiet, "Q-2", 0), newShoot(t, random, quiet, "Q-3", 0),
		newShoot(t, random, counted, "C-1", 6), newShoot(t, random, counted, "C-2", 6),
	}
	w.installation = install(t, w.service.url, root{quiet, `quiet = "400ms"`}, root{counted, "quiet = \"400ms\"\nframes = 6"})
	return w
}

func (w *studio) check() {
	w.t.Helper()
	checkService(w.t, w.service, w.shoots)
	if _, err := os.Stat(w.state); err == nil { // a kill may come before it was made
		checkState(w.t, w.installation, w.service)
	}
	if w.t.Failed() {
		w.t.FailNow()
	}
}

// converge lets the program work in peace. Everything must be published then.
func (w *studio) converge() {
	w.t.Helper()
	w.service.heal()
	var s status.Status
	defer func() {
		if w.t.Failed() {
			w.t.Logf("busy: %+v", slices.DeleteFunc(s.Products, func(p status.ProductStatus) bool { return !isBusy(p) }))
		}
	}()
	for looking := true; looking; {
		w.letTimePass()
		p := w.start("run")
		wait(w.t, "an answer about every create", time.Minute, func() (ok bool) {
			s, ok = w.status()
			w.retryDeadly(s)
			looking = slices.ContainsFunc(s.Products, isLooking)
			return ok && !slices.ContainsFunc(s.Products, isBusy)
		})
		p.kill()
	}
	tree := treesOf(w.t, w.roots)
	p := w.start("run")
	published(w.t, w.installation, w.service, w.shoots, time.Minute)
	p.kill()
	w.check()
	if now := treesOf(w.t, w.roots); !maps.Equal(tree, now) {
		w.t.Errorf("the folders were changed: %v is now %v", tree, now)
	}
	w.keepsSecrets()
}

// retryDeadly says retry for folders over which two programs in a row were killed, as their reason asks:
// on a slow machine the reading of a good folder is where many kills strike.
func (w *studio) retryDeadly(s status.Status) {
	for _, p := range s.Products {
		if p.State == status.Attention && strings.Contains(p.Reason, "broke off twice") {
			w.run("retry", p.Folder)
		}
	}
}

// publish runs the program until all is published.
func (w *studio) publish() {
	w.t.Helper()
	p := w.start("run")
	published(w.t, w.installation, w.service, w.shoots, time.Minute)
	p.kill()
}
