package processtest

import (
	"path/filepath"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
	"spinsync/apiclient/sandbox/section"
)

// A create without an answer is looked for with patience, since a list may lag behind. Neither many
// folders of one project nor people who press retry make the patience shorter.
func TestImpatienceMakesNothingTwice(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	s := newService(t, sandbox.Shapes{ListLag: 1500 * time.Millisecond})
	lose := func(c *sandbox.Call) sandbox.Fault {
		return sandbox.Fault{DropAfter: (c.Op == section.CreateProject || c.Op == section.CreateProduct) && c.N == 1}
	}
	s.spoil.Store(&lose)
	path := filepath.Join(t.TempDir(), "shoots")
	var shoots []*shoot
	for _, sku := range []string{"A", "B", "C", "D", "E", "F"} {
		shoots = append(shoots, newShoot(t, random, path, sku, 0))
		shoots[len(shoots)-1].shootAll(2)
	}
	i := install(t, s.url, root{path, `quiet = "200ms"`})
	i.start("run")
	for end := time.Now().Add(8 * time.Second); time.Now().Before(end); {
		i.run("retry")
	}
	checkService(t, s, shoots)
	published(t, i, s, shoots, time.Minute)
}
