package simulation

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"spinsync/apiclient/servicetest"
)

// A network joins the lives of the daemon with the service, over connections in memory.
type network struct {
	*servicetest.Network
	w      *world
	server *http.Server
	served sync.WaitGroup

	mu    sync.Mutex
	cutAt time.Time // until then nobody can connect
}

func newNetwork(w *world) *network {
	n := &network{Network: servicetest.NewNetwork(), w: w}
	n.server = &http.Server{Handler: http.HandlerFunc(n.serve), ErrorLog: log.New(io.Discard, "", 0)}
	n.server.SetKeepAlivesEnabled(false) // which connection is free first would decide what becomes of a request
	n.server.BaseContext = senderThrough
	n.served.Go(func() { n.server.Serve(n) })
	return n
}

func (n *network) end() {
	n.Close()
	n.server.Close()
	n.served.Wait()
}

// cut keeps everybody from connecting for a while, and ends the connections that there are.
func (n *network) cut(l *life, d time.Duration) {
	n.mu.Lock()
	n.cutAt = time.Now().Add(d)
	n.mu.Unlock()
	if l != nil {
		l.hangUp()
	}
}

func (n *network) down() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.cutAt)
}

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// dial connects to the service. The caller may keep the connection from working.
func (n *network) dial(ctx context.Context, through *servicetest.Network, speed int) (*line, error) {
	conn, err := through.Dial(ctx, "tcp", "")
	if err != nil {
		return nil, err
	}
	return &line{Conn: conn, speed: speed}, nil
}

// A line is a connection that takes its time.
type line struct {
	net.Conn
	speed int // bytes per second, 0 = no bound
}

const packet = 8 << 10

func (l *line) Write(p []byte) (sent int, err error) {
	if l.speed == 0 || len(p) < packet {
		return l.Conn.Write(p)
	}
	for len(p) > 0 && err == nil {
		var n int
		n, err = l.Conn.Write(p[:min(packet, len(p))])
		sent, p = sent+n, p[n:]
		time.Sleep(time.Duration(n) * time.Second / time.Duration(l.speed))
	}
	return sent, err
}
