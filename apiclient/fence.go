package apiclient

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// A Fence is the right to send, for a time that may end at any moment. Its methods may be called by
// several goroutines.
type Fence interface {
	// Holds is nil while bytes may leave. It is asked before each write to a connection.
	Holds() error
	// HasTime is nil while there is time enough for a request that changes something on the service.
	// It is asked before each, and before each write of it.
	HasTime() error
}

// SetFence has the client send nothing beyond a fence. Call it before the first request.
func (c *Client) SetFence(f Fence) { c.fence.is = f }

// Sever breaks off all requests of a client with a fence. What has not left by then never does.
func (c *Client) Sever() { c.fence.sever() }

// A fence is that of a client, with the connections that are open. It lets everything pass where the
// client has none.
type fence struct {
	is    Fence
	mu    sync.Mutex
	conns map[*fencedConn]bool
}

// mayBegin keeps a request from being sent that changes something. An upload binds nothing.
func (f *fence) mayBegin(host, method string) error {
	if f.is == nil || host != "" || method == http.MethodGet {
		return nil
	}
	return f.is.HasTime()
}

// around puts the fence around a new connection.
func (f *fence) around(conn net.Conn, err error) (net.Conn, error) {
	if f.is == nil || err != nil {
		return conn, err
	}
	fenced := &fencedConn{Conn: conn, fence: f}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conns == nil {
		f.conns = map[*fencedConn]bool{}
	}
	f.conns[fenced] = true
	return fenced, nil
}

func (f *fence) sever() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		conn.reset()
	}
}

// A fencedConn is a connection that carries nothing beyond its fence.
type fencedConn struct {
	net.Conn
	fence   *fence
	changes atomic.Bool // it carries a request that changes something
}

// carries notes what a connection carries from now on: connecting may have taken the time that a change
// needs.
func (f *fence) carries(conn net.Conn, changes bool) {
	for secured, is := conn.(*tls.Conn); is; secured, is = conn.(*tls.Conn) { // one in the other behind a proxy
		conn = secured.NetConn()
	}
	if fenced, is := conn.(*fencedConn); is {
		fenced.changes.Store(changes)
	}
}

// may is nil while the connection may carry what it does.
func (c *fencedConn) may() error {
	if c.changes.Load() {
		return c.fence.is.HasTime()
	}
	return c.fence.is.Holds()
}

func (c *fencedConn) Write(p []byte) (int, error) {
	if err := c.may(); err != nil {
		c.reset()
		return 0, err
	}
	return c.Conn.Write(p)
}

// Read fails with the reason for which the connection was reset.
func (c *fencedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if err != nil {
		err = cmp.Or(c.may(), err)
	}
	return n, err
}

// reset drops what the system has still to send, too.
func (c *fencedConn) reset() {
	if tcp, is := c.Conn.(interface{ SetLinger(int) error }); is {
		_ = tcp.SetLinger(0)
	}
	_ = c.Conn.Close()
}

func (c *fencedConn) Close() error {
	c.fence.mu.Lock()
	delete(c.fence.conns, c)
	c.fence.mu.Unlock()
	return c.Conn.Close()
}
