package dashboard

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
)

// noCertificate stands for a certificate that no test needs.
func noCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &tls.Certificate{}, nil }

// Another site must not read the page or use its verbs through a visitor's browser, under whatever
// name it leads here.
func TestOnlyOwnNamesAndOwnPagesAreServed(t *testing.T) {
	inStudio(t, "", Options{Listen: "127.0.0.1:8360", Hosts: []string{"Studio.local"}}, func(t *testing.T, s *studio) {
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
	})
}

func TestAddressesThatAnswerNothing(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		for code, paths := range map[int][]string{
			http.StatusMethodNotAllowed: {"/retry", "/pause", "/resume", "/rush"},
			http.StatusNotFound: {
				"/folder/nothing", "/folder/nothing/thumb", "/folder/nothing/frame?name=1.jpg", "/api/folder/nothing",
				"/stream?of=folder&id=nothing", "/stream", "/static/nothing", "/nothing",
			},
		} {
			for _, path := range paths {
				if w := s.get(path); w.Code != code {
					t.Errorf("GET %s: %d", path, w.Code)
				}
			}
		}
	})
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
	inStudio(t, "", Options{Listen: "0.0.0.0:8360", Password: "open sesame", Certificate: noCertificate}, func(t *testing.T, s *studio) {
		for _, path := range []string{"/", "/api/status", "/metrics", "/healthz", "/static/page.js", "/stream?of=overview"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = "192.0.2.1:8360"
			if w := s.ask(r); w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" ||
				!strings.Contains(w.Body.String(), "any user name will do") {
				t.Errorf("GET %s: %d", path, w.Code)
			}
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = "192.0.2.1:8360"
		r.SetBasicAuth("anybody", "open sesame")
		if w := s.ask(r); w.Code != http.StatusOK {
			t.Errorf("with the password: %d", w.Code)
		}
	})
}

// lockedPage is a guard beyond loopback before a page with a known text. The returned function asks
// for the page with a password, from an address.
func lockedPage(t *testing.T, log *slog.Logger) (ask func(ctx context.Context, from, password string) *httptest.ResponseRecorder) {
	t.Helper()
	g, err := newGuard(Options{Listen: "0.0.0.0:8360", Password: "open sesame", Certificate: noCertificate, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	page := g.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	return func(ctx context.Context, from, password string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
		r.Host, r.RemoteAddr = "192.0.2.1:8360", from
		if password != "" {
			r.SetBasicAuth("anybody", password)
		}
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		return w
	}
}

// Passwords are judged one at a time, whatever address they come from: many connections guess as
// slowly as one, also where none waits for its answer, and also the right one waits for its turn.
func TestGuessesWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		ask := lockedPage(t, slog.New(slog.NewTextHandler(&log, nil)))
		began := time.Now()
		expect := func(from, password string, want int, after time.Duration) {
			t.Helper()
			if w := ask(t.Context(), from, password); w.Code != want {
				t.Errorf("%q from %s: %d, want %d", password, from, w.Code, want)
			}
			if took := time.Since(began); took != after {
				t.Errorf("%q from %s: answered after %s, want %s", password, from, took, after)
			}
		}
		expect("192.0.2.7:1", "open sesame", 200, 0)
		for range 3 { // a browser asks without a password first
			expect("192.0.2.7:1", "", 401, 0)
		}
		const guesses = guessQueue - 1
		for i := range guesses {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go ask(ctx, fmt.Sprintf("192.0.2.%d:1", i), "guess")
			synctest.Wait()
			if i == 0 {
				cancel() // which has its turn, and goes
			}
		}
		expect("192.0.2.100:1", "", 401, 0)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if w := ask(gone, "192.0.2.100:1", "open sesame"); w.Code != 401 || time.Since(began) != 0 {
			t.Errorf("who went before the turn came: %d after %s", w.Code, time.Since(began))
		}
		expect("192.0.2.100:1", "open sesame", 200, guesses*guessGap)
		if lines := strings.Count(log.String(), "\n"); lines != 1 || !strings.Contains(log.String(), "address=192.0.2.0:1\n") {
			t.Errorf("the log has %s", &log)
		}
		time.Sleep(guessLogGap)
		expect("192.0.2.8:1", "guess", 401, guesses*guessGap+guessLogGap+guessGap)
		if lines := strings.Count(log.String(), "\n"); lines != 2 {
			t.Errorf("the log has %s", &log)
		}
	})
}

// However many guess at a time, few connections wait, and each answer comes in time.
func TestGuessesDoNotPileUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := lockedPage(t, slog.New(slog.DiscardHandler))
		for range guessQueue {
			go ask(t.Context(), "192.0.2.1:1", "guess")
		}
		synctest.Wait()
		began := time.Now()
		if w := ask(t.Context(), "192.0.2.2:1", "open sesame"); w.Code != http.StatusTooManyRequests || time.Since(began) != 0 {
			t.Errorf("one more: %d after %s", w.Code, time.Since(began))
		}
		time.Sleep(guessQueue * guessGap)
		if w := ask(t.Context(), "192.0.2.2:1", "open sesame"); w.Code != http.StatusOK {
			t.Errorf("later: %d", w.Code)
		}
	})
}

// Beside a wrong password a browser with the right one waits, and gets each of the files of its page: it
// asks for few at a time.
func TestPageLoadsBesideAWrongPassword(t *testing.T) {
	tlsServer := httptest.NewTLSServer(nil)
	defer tlsServer.Close()
	own := &tlsServer.TLS.Certificates[0]
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		network := servicetest.NewNetwork()
		page, err := New(daemon.NewLive(s.d), Options{
			Listen: "0.0.0.0:8360", Password: "open sesame",
			Certificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return own, nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var serving, asking sync.WaitGroup
		serving.Go(func() { page.Serve(ctx, network) })
		defer serving.Wait()
		defer stop()
		browser := &http.Transport{
			DialContext: network.Dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
			ForceAttemptHTTP2: true, MaxConnsPerHost: 6, // as browsers have it
		}
		defer browser.CloseIdleConnections()
		ask := func(password string, want int) {
			r, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://192.0.2.1:8360/static/page.js", nil)
			r.SetBasicAuth("anybody", password)
			answer, err := browser.RoundTrip(r)
			if err != nil {
				t.Error(err)
				return
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("with %q: %d", password, answer.StatusCode)
			}
		}
		ask("open sesame", 200)
		asking.Go(func() { ask("guess", 401) })
		synctest.Wait()
		for range rowsPerPage {
			asking.Go(func() { ask("open sesame", 200) })
		}
		asking.Wait()
	})
}

func TestBrowsersStayWithTLS(t *testing.T) {
	ask := lockedPage(t, slog.New(slog.DiscardHandler))
	for _, password := range []string{"", "open sesame"} {
		if h := ask(t.Context(), "192.0.2.7:1", password).Header(); h.Get("Strict-Transport-Security") != "max-age=2592000" {
			t.Errorf("with the password %q: %v", password, h)
		}
	}
}

// A page with spinsync's own certificate does not demand TLS alone: a browser would then let nobody past
// its warning.
func TestOwnCertificateAllowsAnException(t *testing.T) {
	g, err := newGuard(Options{Listen: "0.0.0.0:8360", Password: "open sesame", Certificate: noCertificate, OwnCertificate: true})
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	if g.harden(h); h.Get("Strict-Transport-Security") != "" || h.Get("X-Content-Type-Options") == "" {
		t.Errorf("%v", h)
	}
}

func TestEveryAnswerIsHardened(t *testing.T) {
	inStudio(t, "", Options{Certificate: noCertificate}, func(t *testing.T, s *studio) {
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
	})
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
