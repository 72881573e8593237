package daemon_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// connections notes what became of those that a service was connected with.
type connections struct {
	mu   sync.Mutex
	used map[net.Conn]bool
}

func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.used[conn] = false
	case http.StateActive:
		c.used[conn] = true
	}
}

// count returns how many there were, and how many of them carried nothing.
func (c *connections) count() (all, idle int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, used := range c.used {
		if !used {
			idle++
		}
	}
	return len(c.used), idle
}

// TestEachConnectionMadeAheadIsUsed: what is dialled before it is needed is needed, and a folder at rest has nothing dialled.
func TestEachConnectionMadeAheadIsUsed(t *testing.T) {
	w := newWorld(t, "frames = 2\n[upload]\nparallel = 1") // two at a time may leave one connection to the other
	seen := connections{used: map[net.Conn]bool{}}
	server := httptest.NewUnstartedServer(w.service)
	server.Config.ConnState = seen.note
	server.Start()
	t.Cleanup(server.Close)
	w.url = server.URL
	w.shoot("a", "Summer/S-1/1.jpg", "Summer/S-1/2.jpg")
	w.published()
	all, idle := seen.count()
	if idle > 0 {
		t.Errorf("%d of %d connections carried nothing", idle, all)
	}
	w.published()
	if again, _ := seen.count(); again != all {
		t.Errorf("a pass over a folder at rest made %d connections", again-all)
	}
}
