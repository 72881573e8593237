package connections

import (
	"net"
	"net/netip"
	"testing"
)

// pipes is a listener that hands out connections from given addresses.
type pipes struct {
	from []string
	dead []*pipe
}

type pipe struct {
	net.Conn
	from   string
	closed bool
}

func (p *pipe) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(p.from)) }

func (p *pipe) Close() error {
	p.closed = true
	return nil
}

func (l *pipes) Accept() (net.Conn, error) {
	if len(l.from) == 0 {
		return nil, net.ErrClosed
	}
	c := &pipe{from: l.from[0]}
	l.from, l.dead = l.from[1:], append(l.dead, c)
	return c, nil
}

func (l *pipes) Close() error   { return nil }
func (l *pipes) Addr() net.Addr { return nil }

// TestLimit: a connection that is too many is closed, and one that ends makes room, once.
func TestLimit(t *testing.T) {
	a, b, c, d := "10.0.0.1:1", "10.0.0.2:1", "[2001:db8::1]:1", "[2001:db8::2]:1"
	under := &pipes{}
	l := Limit(under, 3, 2)
	accept := func(want string, from ...string) net.Conn {
		t.Helper()
		under.from = from
		got, err := l.Accept()
		if err != nil || got.RemoteAddr().String() != want {
			t.Fatalf("%v, %v, want a connection from %s", got, err, want)
		}
		return got
	}
	first := accept(a, a)
	second := accept("10.0.0.1:2", "10.0.0.1:2")
	accept(b, a, a, b) // a has enough
	for _, refused := range under.dead[2:4] {
		if !refused.closed {
			t.Error("a connection that is too many stays open")
		}
	}
	under.from = []string{c}
	if _, err := l.Accept(); err == nil {
		t.Error("there are too many in all")
	}
	first.Close()
	first.Close()
	accept(c, c)
	under.from = []string{d}
	if _, err := l.Accept(); err == nil {
		t.Error("what was closed twice made room twice")
	}
	second.Close()
	accept(d, d)
	under.from = []string{"[2001:db8::3]:1"}
	if _, err := l.Accept(); err == nil {
		t.Error("the addresses of one IPv6 network count apart")
	}
}
