package dashboard

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// noCertificate stands for a certificate that no test needs.
func noCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &tls.Certificate{}, nil }

// Another site must not read the page or use its verbs through a visitor's browser, under whatever
// name it leads here.
func TestOnlyOwnNamesAndOwnPagesAreServed(t *testing.T) {
	s := newStudio(t, "", Options{Listen: "127.0.0.1:8360", Hosts: []string{"Studio.local"}})
	for _, c := range []struct {
		method, host string
		headers      map[string]string
		want         int
	}{
		{"GET", "127.0.0.1:8360", nil, 200},
		{"GET", "localhost:8360", nil, 200},
		{"GET", "LOCALHOST", nil, 200},
		{"GET", "[::1]:8360", nil, 200},
		{"GET", "127.9.9.9", nil, 200},
		{"GET", "studio.local:8360", nil, 200},
		{"GET", "evil.example", nil, 421},
		{"GET", "127.0.0.1.evil.example:8360", nil, 421},
		{"GET", "localhost.evil.example", nil, 421},
		{"GET", "192.0.2.1:8360", nil, 421},
		{"GET", "0.0.0.0:8360", nil, 421},
		{"GET", "", nil, 421},
		{"POST", "127.0.0.1:8360", nil, 303},
		{"POST", "127.0.0.1:8360", map[string]string{"Origin": "http://127.0.0.1:8360"}, 303},
		{"POST", "127.0.0.1:8360", map[string]string{"Sec-Fetch-Site": "same-origin"}, 303},
		{"POST", "127.0.0.1:8360", map[string]string{"Origin": "http://evil.example"}, 403},
		{"POST", "127.0.0.1:8360", map[string]string{"Origin": "null"}, 403},
		{"POST", "127.0.0.1:8360", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"POST", "127.0.0.1:8360", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"POST", "evil.example", map[string]string{"Origin": "http://evil.example"}, 421},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if c.method == http.MethodPost {
			r = posting("/resume", everything)
		}
		r.Host = c.host
		for name, value := range c.headers {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.page.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s as %q with %v: %d, want %d", c.method, c.host, c.headers, w.Code, c.want)
		}
	}
}

func TestVerbsAreNoGet(t *testing.T) {
	s := newStudio(t, "", Options{})
	for _, path := range []string{"/retry", "/pause", "/resume", "/rush"} {
		if w := s.get(path); w.Code != http.StatusMethodNotAllowed {
			t.Errorf("GET %s: %d", path, w.Code)
		}
	}
}

func TestBeyondLoopbackOnlyWithPasswordAndTLS(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		ok   bool
	}{
		{"loopback", Options{Listen: "127.0.0.1:8360"}, true},
		{"localhost", Options{Listen: "localhost:8360"}, true},
		{"IPv6 loopback", Options{Listen: "[::1]:8360"}, true},
		{"everywhere", Options{Listen: ":8360"}, false},
		{"one address", Options{Listen: "192.0.2.1:8360"}, false},
		{"a name", Options{Listen: "studio.local:8360"}, false},
		{"only a password", Options{Listen: ":8360", Password: "x"}, false},
		{"only TLS", Options{Listen: ":8360", Certificate: noCertificate}, false},
		{"both", Options{Listen: ":8360", Password: "x", Certificate: noCertificate}, true},
		{"no address", Options{Listen: "8360"}, false},
	} {
		if _, err := newGuard(c.o); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestPasswordIsAskedForEverywhere(t *testing.T) {
	s := newStudio(t, "", Options{Listen: "0.0.0.0:8360", Password: "open sesame", Certificate: noCertificate})
	paths := []string{"/", "/api/status", "/metrics", "/healthz", "/static/page.js", "/stream?of=overview"}
	for i, path := range paths {
		for password, want := range map[string]bool{"": false, "open": false, "open sesame!": false} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host, r.RemoteAddr = "192.0.2.1:8360", fmt.Sprintf("192.0.2.%d:1", 10+i)
			if password != "" {
				r.SetBasicAuth("anybody", password)
			}
			if w := s.ask(r); (w.Code == http.StatusOK) != want || w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("GET %s with %q: %d", path, password, w.Code)
			}
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "192.0.2.1:8360"
	r.SetBasicAuth("anybody", "open sesame")
	if w := s.ask(r); w.Code != http.StatusOK {
		t.Errorf("with the password: %d", w.Code)
	}
}

// lockedPage is a guard beyond loopback before a page that says so. The returned function asks for
// the page with a password, from an address.
func lockedPage(t *testing.T, log *slog.Logger) (ask func(from, password string) *httptest.ResponseRecorder) {
	t.Helper()
	g, err := newGuard(Options{Listen: "0.0.0.0:8360", Password: "open sesame", Certificate: noCertificate, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	page := g.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	return func(from, password string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host, r.RemoteAddr = "192.0.2.1:8360", from
		if password != "" {
			r.SetBasicAuth("anybody", password)
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
}

// An address may try ten passwords a minute. After them not even the right one counts.
func TestGuessesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ask := lockedPage(t, slog.New(slog.NewTextHandler(&log, nil)))
		expect := func(from, password string, want int) {
			t.Helper()
			if w := ask(from, password); w.Code != want {
				t.Errorf("%q from %s: %d, want %d", password, from, w.Code, want)
			}
		}
		for range 3 * mostGuesses { // a browser asks without a password first
			expect("192.0.2.7:1000", "", 401)
		}
		for i := range mostGuesses {
			if log.Len() > 0 {
				t.Errorf("after %d guesses the log tells %s", i, &log)
			}
			expect(fmt.Sprintf("192.0.2.7:%d", 1000+i), "guess", 401)
		}
		if told := log.String(); strings.Count(told, "\n") != 1 || !strings.Contains(told, "address=192.0.2.7\n") {
			t.Errorf("the log tells %q", told)
		}
		time.Sleep(guessSpan - time.Second)
		expect("192.0.2.7:1", "guess", 429)
		expect("[::ffff:192.0.2.7]:1", "open sesame", 429)
		if w := ask("192.0.2.7:1", "open sesame"); w.Header().Get("Retry-After") != "1" || w.Body.String() == "" {
			t.Errorf("told to wait by %v", w.Header())
		}
		expect("192.0.2.8:1", "open sesame", 200)
		time.Sleep(time.Second)
		expect("192.0.2.7:1", "open sesame", 200)
	})
}

// The addresses of one computer's IPv6 network count as one, and the counts take bounded memory.
func TestGuessesFromManyAddresses(t *testing.T) {
	ask := lockedPage(t, slog.New(slog.DiscardHandler))
	for i := range mostGuesses {
		ask(fmt.Sprintf("[2001:db8::%x]:1", i), "guess")
	}
	if w := ask("[2001:db8::ffff]:1", "guess"); w.Code != 429 {
		t.Errorf("another address of the network: %d", w.Code)
	}
	for i := range mostGuesses {
		ask(fmt.Sprintf("[fe80::1%%eth%d]:1", i), "guess")
	}
	if w := ask("[fe80::1]:1", "guess"); w.Code != 429 {
		t.Errorf("the address of another line: %d", w.Code)
	}
	if w := ask("[2001:db8:0:1::]:1", "open sesame"); w.Code != 200 {
		t.Errorf("another network: %d", w.Code)
	}
	g := guesses{log: slog.New(slog.DiscardHandler)}
	for i := range mostGuessers + 5 {
		g.judge(fmt.Sprintf("10.0.%d.%d:1", i/256, i%256), func() bool { return false })
	}
	if len(g.wrong) > mostGuessers {
		t.Errorf("%d addresses are kept", len(g.wrong))
	}
}

func TestBrowsersAreToldToUseTLS(t *testing.T) {
	ask := lockedPage(t, slog.New(slog.DiscardHandler))
	for _, password := range []string{"", "open sesame"} {
		if h := ask("192.0.2.7:1", password).Header(); h.Get("Strict-Transport-Security") != "max-age=2592000" {
			t.Errorf("with the password %q: %v", password, h)
		}
	}
}

func TestEveryAnswerIsHardened(t *testing.T) {
	s := newStudio(t, "", Options{Certificate: noCertificate})
	for _, path := range []string{"/", "/activity", "/folder/nothing", "/nothing", "/static/page.js", "/metrics", "/api/status", "/healthz"} {
		h := s.get(path).Header()
		if h.Get("Strict-Transport-Security") != "" {
			t.Errorf("GET %s on loopback asks for TLS: %v", path, h)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none';") ||
			h.Get("Access-Control-Allow-Origin") != "" || h.Get("Content-Type") == "" {
			t.Errorf("GET %s: %v", path, h)
		}
	}
}

func TestFormLeadsBackToThisSiteOnly(t *testing.T) {
	for place, want := range map[string]string{
		"/folder/abc": "/folder/abc", "/?q=a&page=2": "/?q=a&page=2", "": "/", "//evil.example": "/", "https://evil.example": "/",
		`/\evil.example`: "/", "/a\r\nSet-Cookie: x": "/",
	} {
		if got := back(place); got != want {
			t.Errorf("back(%q) = %q", place, got)
		}
	}
}
