package servicetest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
)

// A Network is a listener in memory, and the only way to what listens there. It works inside the
// bubbles of testing/synctest, where a socket would keep time from passing.
type Network struct {
	arrived chan net.Conn
	closed  chan struct{}
	close   func()
}

// NewNetwork makes a network without a listener.
func NewNetwork() *Network {
	n := &Network{arrived: make(chan net.Conn), closed: make(chan struct{})}
	n.close = sync.OnceFunc(func() { close(n.closed) })
	return n
}

// Serve makes a network on which a handler answers until the test ends.
func Serve(t testing.TB, handler http.Handler) *Network {
	n := NewNetwork()
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(n) })
	t.Cleanup(func() {
		server.Close()
		serving.Wait()
	})
	return n
}

// Dial connects to the listener, at any address. It waits until the connection is accepted; once
// the network is closed it is refused.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case n.arrived <- there:
		return here, nil
	case <-n.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case conn := <-n.arrived:
		return conn, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and Dial; connections stay.
func (n *Network) Close() error {
	n.close()
	return nil
}

// Addr is a made-up address.
func (n *Network) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }
