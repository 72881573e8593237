// Package connections bounds how many connections others hold to this program. Call Limit with a
// listener. Each connection takes a descriptor, and without one no photo can be opened.
package connections

import (
	"net"
	"net/netip"
	"sync"
)

// Limit returns a listener that has at most so many connections open, in all and for each address.
// It closes a new one that is too many. An IPv6 host has a network of addresses, which counts as
// one address.
func Limit(l net.Listener, all, each int) net.Listener {
	return &listener{Listener: l, all: all, each: each, open: map[netip.Prefix]int{}}
}

type listener struct {
	net.Listener
	all, each int

	mu   sync.Mutex
	sum  int
	open map[netip.Prefix]int
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := hostOf(c.RemoteAddr())
		if l.take(from) {
			return &connection{c, sync.OnceFunc(func() { l.release(from) })}, nil
		}
		c.Close()
	}
}

func (l *listener) take(from netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sum >= l.all || l.open[from] >= l.each {
		return false
	}
	l.sum++
	l.open[from]++
	return true
}

func (l *listener) release(from netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum--
	if l.open[from]--; l.open[from] == 0 {
		delete(l.open, from)
	}
}

// hostOf is what counts as one address.
func hostOf(address net.Addr) netip.Prefix {
	at, err := netip.ParseAddrPort(address.String())
	if err != nil {
		return netip.Prefix{}
	}
	host, bits := at.Addr().Unmap().WithZone(""), 64
	if host.Is4() {
		bits = 32
	}
	network, _ := host.Prefix(bits)
	return network
}

// A connection gives its place back when it is closed.
type connection struct {
	net.Conn
	release func()
}

// Close implements net.Conn.
func (c *connection) Close() error {
	defer c.release()
	return c.Conn.Close()
}
