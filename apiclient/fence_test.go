package apiclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// gate is a fence for tests.
type gate struct{ shut, late atomic.Bool }

var errShut, errLate = errors.New("the lease may be over"), errors.New("the lease is nearly over")

func (g *gate) Holds() error {
	if g.shut.Load() {
		return errShut
	}
	return nil
}

func (g *gate) HasTime() error {
	if g.late.Load() {
		return errLate
	}
	return g.Holds()
}

// TestNothingPassesAFence: neither on a kept connection nor on a new one. What changes something needs
// more time than what only reads or binds nothing.
func TestNothingPassesAFence(t *testing.T) {
	s := newService(t, answeringJSON(`[]`))
	c, g := newClient(t, Options{BaseURL: s.URL, Username: testUser}), new(gate)
	c.SetFence(g)
	if _, err := c.Projects(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.late.Store(true)
	_, err := c.CreateProduct(t.Context(), NewProduct{Title: "t", SKU: "s", Project: "p", Images: 1})
	if e := failure(t, err); !errors.Is(err, errLate) || !e.Temporary() || e.MayHaveTakenEffect() {
		t.Errorf("a create shortly before the end: %v", err)
	}
	if err := c.Upload(t.Context(), testForm(s.URL), textFile("a.jpg", "x")); errors.Is(err, errLate) {
		t.Errorf("an upload shortly before the end: %v", err)
	}
	g.late.Store(false)
	g.shut.Store(true)
	seen := len(s.requests())
	_, err = c.CreateProduct(t.Context(), NewProduct{Title: "t", SKU: "s", Project: "p", Images: 1})
	if e := failure(t, err); !errors.Is(err, errShut) || e.MayHaveTakenEffect() {
		t.Errorf("a create after the end: %v", err)
	}
	for range 2 { // over the kept connection, and over a new one
		if _, err := c.Projects(t.Context()); !errors.Is(err, errShut) {
			t.Errorf("a list after the end: %v", err)
		}
	}
	if n := len(s.requests()) - seen; n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// TestConnectingTakesTheTime: a change that had time enough when it was begun does not leave once its
// connection is there too late; what only reads does.
func TestConnectingTakesTheTime(t *testing.T) {
	for name, serve := range map[string]func(http.Handler) *httptest.Server{"http": httptest.NewServer, "https": httptest.NewTLSServer} {
		arrived := 0
		s := serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			arrived++
			answeringJSON(`[]`)(w, r)
		}))
		g, roots := new(gate), x509.NewCertPool()
		if cert := s.Certificate(); cert != nil {
			roots.AddCert(cert)
		}
		c := newClient(t, Options{BaseURL: s.URL, Username: testUser, RootCAs: roots, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			defer g.late.Store(true)
			return new(net.Dialer).DialContext(ctx, network, s.Listener.Addr().String())
		}})
		c.SetFence(g)
		_, err := c.CreateProduct(t.Context(), NewProduct{Title: "t", SKU: "s", Project: "p", Images: 1})
		if e := failure(t, err); !errors.Is(err, errLate) || !e.Temporary() || arrived != 0 {
			t.Errorf("%s: %v; %d requests arrived", name, err, arrived)
		}
		if _, err := c.Projects(t.Context()); err != nil || arrived != 1 {
			t.Errorf("%s: a list later on: %v; %d requests arrived", name, err, arrived)
		}
		s.Close()
	}
}

// TestChangeThroughASecureProxy: its connection is in that with the proxy, and the fence around both.
func TestChangeThroughASecureProxy(t *testing.T) {
	g := new(gate)
	g.late.Store(true)
	f := &fence{is: g}
	here, there := net.Pipe()
	go func() { _, _ = io.Copy(io.Discard, there) }()
	conn, err := f.around(here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	f.carries(tls.Client(tls.Client(conn, new(tls.Config)), new(tls.Config)), true)
	if _, err := conn.Write([]byte("PATCH")); !errors.Is(err, errLate) {
		t.Errorf("a change leaves shortly before the end: %v", err)
	}
}

// TestSeverBreaksUploadsOff: what the system has still to send goes with the connection.
func TestSeverBreaksUploadsOff(t *testing.T) {
	began, whole := make(chan struct{}), make(chan error)
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(began)
		_, err := io.Copy(io.Discard, r.Body)
		whole <- err
	}))
	defer store.Close()
	c := newClient(t, Options{BaseURL: store.URL, Username: testUser})
	c.SetFence(new(gate))
	go func() {
		<-began
		c.Sever()
	}()
	f := File{Name: "a.mp4", Size: 1 << 40, Open: func() (io.ReadCloser, error) { return io.NopCloser(io.LimitReader(zeros{}, 1<<40)), nil }}
	if err := c.Upload(t.Context(), testForm(store.URL), f); err == nil {
		t.Error("it was sent")
	}
	if err := <-whole; err == nil {
		t.Error("it arrived")
	}
}
