package processtest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"spinsync/daemon/status"
)

// The network between the program and the service is slow, cut in the middle of anything, silent,
// or gone, while people work. Nothing is made twice or mixed, and all is published once it is well
// again.
func TestBadNetwork(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	w, line := newLineStudio(t, random)
	p := w.start("run")
	for range repeats(12, 200) {
		line.weather(random)
		for range 4 {
			w.shoots[random.IntN(len(w.shoots))].edit()
			time.Sleep(time.Duration(random.IntN(250)) * time.Millisecond)
		}
		checkService(t, w.service, w.shoots)
	}
	line.weatherIs(line.fine)
	p.kill()
	w.converge()
}

// A login page of the network's, in place of every answer, is not taken for the service's word. It
// does not get the password.
func TestCaptivePortal(t *testing.T) {
	t.Parallel()
	random := newRandom(t)
	w, line := newLineStudio(t, random)
	var strangers atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	t.Cleanup(elsewhere.Close)
	const login = "<!doctype html><title>Please log in</title>"
	page := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(login), login)
	moved := fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", elsewhere.URL)
	for answer, shown := range map[string]string{page: "a captive portal or proxy?", moved: "redirects elsewhere"} {
		line.weatherIs(line.portal(answer))
		for _, s := range w.shoots {
			s.shootAll(3)
		}
		p := w.start("run")
		wait(t, "a folder shows it", time.Minute, func() bool {
			s, _ := w.status()
			return slices.ContainsFunc(s.Products, func(p status.ProductStatus) bool { return strings.Contains(p.Detail, shown) })
		})
		p.kill()
		checkService(t, w.service, w.shoots)
	}
	if n := strangers.Load(); n > 0 {
		t.Errorf("another server was asked %d times", n)
	}
	line.weatherIs(line.fine)
	w.converge()
}

func newLineStudio(t *testing.T, random *rand.Rand) (*studio, *line) {
	w := oneRoot(t, random, "A", "B", "C")
	w.shootEverywhere()
	l := newLine(t, w.service.url[len("http://"):])
	w.installation = install(t, "http://"+l.listener.Addr().String(), root{w.roots[0], `quiet = "200ms"`})
	return w, l
}

// A line carries connections to a service, as the weather wants it.
type line struct {
	t        *testing.T
	to       string
	listener net.Listener
	behave   atomic.Pointer[weather]

	mu   sync.Mutex
	open map[net.Conn]bool
	wg   sync.WaitGroup
}

// Weather serves a new connection.
type weather func(net.Conn)

func newLine(t *testing.T, to string) *line {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	l := &line{t: t, to: to, listener: listener, open: map[net.Conn]bool{}}
	l.weatherIs(l.fine)
	l.wg.Go(l.accept)
	t.Cleanup(func() {
		listener.Close()
		l.cutAll()
		l.wg.Wait()
	})
	return l
}

func (l *line) accept() {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			return // it is closed
		}
		l.keep(c)
		l.wg.Go(func() {
			defer l.cut(c)
			(*l.behave.Load())(c)
		})
	}
}

func (l *line) keep(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[c] = true
}

// cut ends a connection at once: what is under way is lost.
func (l *line) cut(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // it may be closed
	}
	c.Close()
}

func (l *line) cutAll() {
	l.mu.Lock()
	all := make([]net.Conn, 0, len(l.open))
	for c := range l.open {
		all = append(all, c)
	}
	l.mu.Unlock()
	for _, c := range all {
		l.cut(c)
	}
}

// weatherIs changes the weather, in which no connection of before survives.
func (l *line) weatherIs(w weather) {
	l.behave.Store(&w)
	l.cutAll()
}

// weather is any.
func (l *line) weather(random *rand.Rand) {
	most := 1 + random.IntN(6000)
	all := []weather{l.fine, l.silent, l.gone, l.slow(200 + random.IntN(2000)), l.broken(most, true), l.broken(most, false)}
	l.weatherIs(all[random.IntN(len(all))])
}

func (l *line) fine(c net.Conn) { l.join(c, copyAll, copyAll) }

// silent takes everything and never answers.
func (l *line) silent(c net.Conn) { _, _ = io.Copy(io.Discard, c) } // until it is cut

func (l *line) gone(net.Conn) {}

// slow carries so many bytes at a time, with pauses.
func (l *line) slow(bytes int) weather {
	crawl := func(to io.Writer, from io.Reader) error {
		for {
			if _, err := io.CopyN(to, from, int64(bytes)); err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	return func(c net.Conn) { l.join(c, crawl, crawl) }
}

// broken ends each connection after so many bytes in one direction.
func (l *line) broken(bytes int, upwards bool) weather {
	some := func(to io.Writer, from io.Reader) error {
		_, err := io.CopyN(to, from, int64(bytes))
		return err
	}
	if upwards {
		return func(c net.Conn) { l.join(c, some, copyAll) }
	}
	return func(c net.Conn) { l.join(c, copyAll, some) }
}

// portal gives every request the same answer.
func (l *line) portal(answer string) weather {
	return func(c net.Conn) {
		question := make([]byte, 64<<10)
		for {
			if _, err := c.Read(question); err != nil {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	}
}

type carry func(to io.Writer, from io.Reader) error

func copyAll(to io.Writer, from io.Reader) error {
	_, err := io.Copy(to, from)
	return err
}

// join carries both directions until one ends.
func (l *line) join(c net.Conn, up, down carry) {
	service, err := net.Dial("tcp", l.to)
	if err != nil {
		return // the test is over
	}
	l.keep(service)
	defer l.cut(service)
	l.wg.Go(func() {
		_ = down(c, service) // the connection's end is all that counts
		l.cut(c)
	})
	_ = up(service, c)
}
