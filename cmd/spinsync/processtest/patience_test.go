package processtest

import (
	"net/http"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/apiclient/sandbox"
)

// After a create without an answer spinsync waits before it creates again, since a list may lag
// behind. Neither many folders of one project nor people who press retry make the wait shorter.
func TestImpatienceMakesNothingTwice(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	s := newService(t)
	const lag = 1500 * time.Millisecond
	var lost atomic.Int64 // when a create got no answer
	lose := func(c *sandbox.Call) sandbox.Fault {
		switch c.Op {
		case sandbox.CreateProject, sandbox.CreateProduct:
			if c.N == 1 {
				lost.Store(time.Now().UnixNano())
				return sandbox.Fault{DropAfter: true}
			}
		case sandbox.ListProjects, sandbox.ListProducts, sandbox.ListProductsOfProject:
			if time.Since(time.Unix(0, lost.Load())) < lag {
				return sandbox.Fault{Status: http.StatusOK, Body: "[]", Header: http.Header{"Content-Type": {"application/json"}}}
			}
		}
		return sandbox.Fault{}
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
