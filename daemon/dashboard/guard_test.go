package dashboard

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
	certificate := Certificate(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &tls.Certificate{}, nil })
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
		{"only TLS", Options{Listen: ":8360", Certificate: certificate}, false},
		{"both", Options{Listen: ":8360", Password: "x", Certificate: certificate}, true},
		{"no address", Options{Listen: "8360"}, false},
	} {
		if _, err := newGuard(c.o); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestPasswordIsAskedForEverywhere(t *testing.T) {
	s := newStudio(t, "", Options{Listen: "0.0.0.0:8360", Password: "open sesame", Certificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &tls.Certificate{}, nil
	}})
	for _, path := range []string{"/", "/api/status", "/metrics", "/healthz", "/static/page.js", "/stream?of=overview"} {
		for password, want := range map[string]bool{"": false, "open": false, "open sesame!": false} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "192.0.2.1:8360"
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

func TestEveryAnswerIsHardened(t *testing.T) {
	s := newStudio(t, "", Options{})
	for _, path := range []string{"/", "/activity", "/folder/nothing", "/nothing", "/static/page.js", "/metrics", "/api/status", "/healthz"} {
		h := s.get(path).Header()
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
