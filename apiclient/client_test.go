package apiclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestNewChecksTheBaseURL(t *testing.T) {
	good := map[string]string{
		"https://views.example.com":         "https://views.example.com",
		"https://views.example.com/":        "https://views.example.com",
		"https://views.example.com:8443/a/": "https://views.example.com:8443/a",
		"http://127.0.0.1:8361":             "http://127.0.0.1:8361",
		"http://127.9.9.9":                  "http://127.9.9.9",
		"http://[::1]:8361/":                "http://[::1]:8361",
		"http://localhost:8361":             "http://localhost:8361",
	}
	for raw, want := range good {
		c, err := New(Options{BaseURL: raw, Username: "u"})
		if err != nil || c.base.String() != want {
			t.Errorf("base URL %q: got %v, %v, want %s", raw, c, err, want)
		}
	}
	bad := []string{
		"", "views.example.com", "//views.example.com", "ftp://views.example.com", "http://views.example.com",
		"http://10.0.0.1", "http://localhost.example.com", "https://views.example.com?x=1", "https://views.example.com?",
		"https://views.example.com#x", "https://", "https://exa mple.com",
	}
	for _, raw := range bad {
		if _, err := New(Options{BaseURL: raw, Username: "u"}); err == nil {
			t.Errorf("base URL %q was accepted", raw)
		}
	}
	for _, raw := range []string{"https://u:hush@views.example.com", "https://u:hush@exa mple.com"} {
		if _, err := New(Options{BaseURL: raw, Username: "u"}); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("base URL with a password: %v", err)
		}
	}
}

func TestNewChecksTheUserName(t *testing.T) {
	for _, name := range []string{"", "a:b", "a\nb"} {
		if _, err := New(Options{BaseURL: "https://views.example.com", Username: name}); err == nil {
			t.Errorf("user name %q was accepted", name)
		}
	}
}

func TestSecretsPrintAsStars(t *testing.T) {
	type settings struct {
		Password Secret
		Form     Credentials
	}
	s := settings{testPassword, testForm("up.example.com")}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("settings", "password", s.Password, "form", s.Form)
	text, _ := s.Password.MarshalText()
	marshalled, _ := json.Marshal(s.Password)
	for _, shown := range []string{
		fmt.Sprintf("%v %+v %#v %s %q %x", s, s, s, s, s, s),
		fmt.Sprintf("%v %+v %#v %s %q %x %d", s.Password, s.Password, s.Password, s.Password, s.Password, s.Password, s.Password),
		fmt.Sprintf("%v %+v %#v %s", s.Form, s.Form, s.Form, &s.Form),
		s.Password.String(), string(text), string(marshalled), log.String(),
	} {
		for _, secret := range []string{testPassword, testPolicy, testSign, fmt.Sprintf("%x", testPassword)} {
			if strings.Contains(shown, secret) {
				t.Errorf("%q shows %q", shown, secret)
			}
		}
	}
	if s.Password.Reveal() != testPassword {
		t.Error("Reveal does not reveal")
	}
}

// The credentials have to survive a restart in the state file, so their JSON is whole.
func TestCredentialsMarshalWhole(t *testing.T) {
	data, err := json.Marshal(testForm("up.example.com"))
	var back Credentials
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if err != nil || back != testForm("up.example.com") {
		t.Errorf("got %#v, %v", back, err)
	}
}

// The rules of the interface test what else a request holds.
func TestEveryRequestNamesTheProgram(t *testing.T) {
	s := newService(t, answeringJSON(`[]`))
	c := s.client(t)
	_, err := c.Projects(t.Context())
	if err := errors.Join(err, c.Upload(t.Context(), testForm(s.URL), textFile("a.jpg", "x"))); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.requests() {
		if got := r.header.Get("User-Agent"); got != "spinsync" {
			t.Errorf("%s %s comes from %q", r.method, r.uri, got)
		}
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	elsewhere := newService(t, answeringJSON(`{}`))
	for _, o := range operations() {
		for _, status := range []int{301, 302, 303, 307, 308} {
			t.Run(fmt.Sprintf("%s %d", o.name, status), func(t *testing.T) {
				s := newService(t, func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, elsewhere.URL+r.URL.Path, status)
				})
				e := failure(t, o.call(t.Context(), s.client(t)))
				if e.Status != status || !strings.Contains(e.Error(), "redirects") {
					t.Errorf("got %v", e)
				}
				if moved := status == 301 || status == 308; e.Temporary() == moved {
					t.Errorf("Temporary() = %v", e.Temporary())
				}
				if e.MayHaveTakenEffect() != o.changes() {
					t.Errorf("MayHaveTakenEffect() = %v", e.MayHaveTakenEffect())
				}
			})
		}
	}
	if seen := elsewhere.requests(); len(seen) > 0 {
		t.Errorf("a redirect was followed: %v", seen)
	}
}

func TestAnIdentifierNamesOneResourceOnly(t *testing.T) {
	s := newService(t, answeringJSON(`{"notice":"OK"}`))
	c := s.client(t)
	for _, id := range []string{"", ".", "..", "a/b", `a\b`, "../projects"} {
		if e := failure(t, c.DeleteProduct(t.Context(), id)); e.Temporary() || e.MayHaveTakenEffect() {
			t.Errorf("%q: %v", id, e)
		}
	}
	if err := c.DeleteProduct(t.Context(), "a b?c#d%"); err != nil {
		t.Fatal(err)
	}
	if got := s.only(t).uri; got != "/api/v2/products/a%20b%3Fc%23d%25" {
		t.Errorf("path %s", got)
	}
}

func TestTheClockOffsetIsThatOfTheNewestAnswer(t *testing.T) {
	ahead := time.Now().Add(2 * time.Hour)
	aged := false
	s := newService(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", ahead.UTC().Format(http.TimeFormat))
		if aged {
			w.Header().Set("Age", "10")
		}
		answeringJSON(`[]`)(w, r)
	})
	c := s.client(t)
	if _, known := c.ClockOffset(); known {
		t.Error("an offset is known before any answer")
	}
	if _, err := c.Projects(t.Context()); err != nil {
		t.Fatal(err)
	}
	offset, known := c.ClockOffset()
	if !known || offset < 2*time.Hour-time.Minute || offset > 2*time.Hour+time.Minute {
		t.Errorf("offset %v %v, want about 2h", offset, known)
	}
	ahead, aged = ahead.Add(5*time.Hour), true
	if _, err := c.Projects(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again, _ := c.ClockOffset(); again != offset {
		t.Errorf("a cached answer moved the clock to %v", again)
	}
}
