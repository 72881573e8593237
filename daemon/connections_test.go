package daemon_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestNothingIsDialledForAFolderAtRest: a create has its connection made ahead, and where none is
// owed there is none.
func TestNothingIsDialledForAFolderAtRest(t *testing.T) {
	w := newWorld(t, "frames = 2")
	var dialled atomic.Int32
	server := httptest.NewUnstartedServer(w.service)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dialled.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	w.url = server.URL
	w.shoot("a", "Summer/S-1/1.jpg", "Summer/S-1/2.jpg")
	w.published()
	before := dialled.Load()
	w.published()
	if again := dialled.Load() - before; before == 0 || again != 0 {
		t.Errorf("publishing took %d connections, a pass over what is published %d", before, again)
	}
}
