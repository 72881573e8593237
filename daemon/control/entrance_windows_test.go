package control

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// endpointState is the path of a state file. Wine cannot remove the directories of t.TempDir.
func endpointState(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "endpoint")
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state.db")
	t.Cleanup(func() {
		os.Remove(meetingFile(state))
		if err := os.Remove(dir); err != nil {
			t.Error("more is left than the endpoint file:", err)
		}
	})
	return state
}

// serveEndpoint serves an entrance whose handler counts those that it admits.
func serveEndpoint(t *testing.T, state string) (at endpoint, admitted chan string) {
	t.Helper()
	admitted = make(chan string, 100)
	in, err := open(state, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		admitted <- r.Method + " " + r.URL.Path
		reply(w, struct{}{}, nil)
	}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(in.remove)
	server := &http.Server{Handler: in.handler}
	go server.Serve(in.listener)
	t.Cleanup(func() { server.Close() })
	if at, err = readEndpoint(state); err != nil {
		t.Fatal(err)
	}
	return at, admitted
}

// The token is in a file of its own for each daemon, which takes the place of the one that died. The
// port is reached on loopback alone.
func TestEndpointIsFound(t *testing.T) {
	state := endpointState(t)
	if err := (endpoint{Address: "127.0.0.1:1", Token: "old"}).write(state); err != nil {
		t.Fatal(err)
	}
	at, admitted := serveEndpoint(t, state)
	if _, err := Dial(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if got := <-admitted; got != "GET /hello" {
		t.Errorf("it is asked for %s", got)
	}
	host, _, err := net.SplitHostPort(at.Address)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Errorf("it listens on %s", at.Address)
	}
	if len(at.Token) < 26 { // 128 bits
		t.Errorf("the token has %d characters", len(at.Token))
	}
}

// Without the token of this very daemon a caller learns nothing, changes nothing, and keeps no
// connection. A page in the browser of the same person cannot send the token, and the question that a
// browser asks before a header of its own gets no consent.
func TestEndpointWantsItsToken(t *testing.T) {
	at, admitted := serveEndpoint(t, endpointState(t))
	for name, authorization := range map[string]string{
		"no token":        "",
		"a wrong token":   "Bearer " + strings.Repeat("A", len(at.Token)),
		"half of it":      "Bearer " + at.Token[:len(at.Token)/2],
		"more than it":    "Bearer " + at.Token + "A",
		"an empty token":  "Bearer ",
		"without Bearer":  at.Token,
		"another scheme":  "Basic " + at.Token,
		"in small letter": "Bearer " + strings.ToLower(at.Token),
	} {
		for _, call := range []string{"POST /proof", "GET /hello", "GET /status", "POST /verb", "OPTIONS /verb", "GET /none"} {
			method, path, _ := strings.Cut(call, " ")
			r, err := http.NewRequest(method, "http://"+at.Address+path, strings.NewReader(`{"verb":"pause","all":true}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Set("Access-Control-Request-Headers", "authorization")
			if authorization != "" {
				r.Header.Set("Authorization", authorization)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != http.StatusForbidden || !answer.Close || answer.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s with %s: %s %v", call, name, answer.Status, answer.Header)
			}
		}
	}
	if len(admitted) > 0 {
		t.Errorf("admitted is %s", <-admitted)
	}
	for _, path := range []string{"/status", "/proof"} {
		c, err := net.Dial("tcp", at.Address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
		c.SetReadDeadline(time.Now().Add(4 * time.Second))
		if _, err := io.Copy(io.Discard, c); err != nil {
			t.Errorf("after %s the connection stays open: %v", path, err)
		}
	}
}

// Another program may get the port of a daemon that was killed. It does not know the token, so no
// command believes it or sends it the token.
func TestEndpointOfAKilledDaemon(t *testing.T) {
	state := endpointState(t)
	heard := make(chan string, 100)
	other := func(status int, answer func(*http.Request) string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			heard <- r.Header.Get("Authorization")
			w.WriteHeader(status)
			io.WriteString(w, answer(r))
		}))
		t.Cleanup(s.Close)
		return s.Listener.Addr().String()
	}
	page := func(text string) func(*http.Request) string { return func(*http.Request) string { return text } }
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, address := range map[string]string{
		"a closed port":        closed.Addr().String(),
		"another web server":   other(http.StatusOK, page("<html>")),
		"one without the page": other(http.StatusNotFound, page("404 page not found")),
		"another daemon": other(http.StatusOK, func(r *http.Request) string {
			return string(endpoint{Token: "another"}.proof(r.Header.Get(nonceHeader)))
		}),
		"an earlier proof": other(http.StatusOK, func(*http.Request) string {
			return string(endpoint{Token: "the token"}.proof("an earlier one"))
		}),
		"an echo":            other(http.StatusOK, func(r *http.Request) string { return r.Header.Get(nonceHeader) }),
		"one that is silent": other(http.StatusOK, page("")),
	} {
		if err := (endpoint{Address: address, Token: "the token"}).write(state); err != nil {
			t.Fatal(err)
		}
		if _, err := Dial(t.Context(), state); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%s: %v", name, err)
		}
	}
	close(heard)
	for authorization := range heard {
		if authorization != "" {
			t.Errorf("it got %q", authorization)
		}
	}
}

// The error for a file that no daemon wrote has its name. No file at all is no daemon.
func TestEndpointFileThatIsUnreadable(t *testing.T) {
	state := endpointState(t)
	if _, err := Dial(t.Context(), state); !errors.Is(err, ErrNoDaemon) {
		t.Errorf("without a file: %v", err)
	}
	if err := os.WriteFile(meetingFile(state), []byte(`{"address"`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(t.Context(), state); err == nil || !strings.Contains(err.Error(), meetingFile(state)) {
		t.Errorf("with half a file: %v", err)
	}
}
