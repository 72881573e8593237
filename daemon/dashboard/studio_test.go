package dashboard

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"spinsync/apiclient/servicetest"
	"spinsync/daemon"
	"spinsync/daemon/daemontest"
	"spinsync/daemon/status"
)

// A studio is a daemon at work on a root and a hosting service of its own, with its page.
type studio struct {
	t    *testing.T
	w    *daemontest.World
	d    *daemon.Daemon
	page *Dashboard
	stop func() // ends the daemon and the page; may be called twice
}

// inStudio runs a script in which the daemon runs and the page is served; both end with it. The root's
// table in sync.toml gets toml added.
func inStudio(t *testing.T, toml string, o Options, tell func(*testing.T, *studio)) {
	t.Helper()
	daemontest.Story(t, "quiet = \"50ms\"\n"+toml, func(t *testing.T, w *daemontest.World) {
		s := &studio{t: t, w: w}
		s.start(o)
		defer func() { s.stop() }() // of the last start
		tell(t, s)
	})
}

func (s *studio) start(o Options) {
	s.t.Helper()
	var err error
	d, end := s.w.Open()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if s.page, err = New(daemon.NewLive(d), o); err != nil {
		s.t.Fatal(err)
	}
	stop := daemontest.Start(s.t, d, s.page.Watch)
	s.d, s.stop = d, sync.OnceFunc(func() {
		stop()
		end()
	})
}

func (s *studio) write(name string, content []byte) {
	s.t.Helper()
	s.w.Write(name, string(content))
}

// shoot puts photos into a product folder.
func (s *studio) shoot(folder string, names ...string) {
	s.t.Helper()
	for i, name := range names {
		s.write(folder+"/"+name, photo(s.t, 40, 30, color.Gray{uint8(40 * i)}))
	}
}

func photo(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		img.Set(i%width, i/width, c)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// id is that of a folder in the addresses of the page.
func (s *studio) id(folder string) string {
	return idOf(s.w.Key(folder))
}

// until waits until the page's moment is as wanted.
func (s *studio) until(what string, reached func(*moment) bool) *moment {
	s.t.Helper()
	deadline := time.After(time.Hour)
	for {
		m, newer := s.page.board.latest()
		if reached(m) {
			return m
		}
		select {
		case <-newer:
		case <-deadline:
			s.t.Fatalf("never came to: %s; the status is %+v", what, m.status)
		}
	}
}

// untilState waits for one folder, and returns it.
func (s *studio) untilState(folder string, state status.State) product {
	s.t.Helper()
	id := s.id(folder)
	m := s.until(folder+" is "+string(state), func(m *moment) bool {
		p, ok := m.find(id)
		return ok && p.State == state
	})
	p, _ := m.find(id)
	return p
}

// untilShown waits until the page at path has all of texts, and returns it.
func (s *studio) untilShown(path string, texts ...string) (page string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%s shows %q", path, texts), func(*moment) bool {
		w := s.get(path)
		page = w.Body.String()
		return w.Code == http.StatusOK && !slices.ContainsFunc(texts, func(text string) bool {
			return !strings.Contains(page, text)
		})
	})
	return page
}

// ask sends a request as a browser on this machine does, and returns the answer.
func (s *studio) ask(r *http.Request) *httptest.ResponseRecorder {
	if r.Host == "example.com" {
		r.Host = "127.0.0.1:8360"
	}
	w := httptest.NewRecorder()
	s.page.ServeHTTP(w, r)
	return w
}

// stream is the answer to a request that goes on.
func (s *studio) stream(path string) *http.Response {
	s.t.Helper()
	transport := &http.Transport{DialContext: servicetest.Serve(s.t, s.page).Dial}
	s.t.Cleanup(transport.CloseIdleConnections)
	answer, err := (&http.Client{Transport: transport}).Get("http://127.0.0.1:8360" + path)
	daemontest.Must(s.t, err)
	s.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func (s *studio) get(path string) *httptest.ResponseRecorder {
	return s.ask(httptest.NewRequest(http.MethodGet, path, nil))
}

// text is the body of an answer that must be good.
func (s *studio) text(path string) string {
	s.t.Helper()
	w := s.get(path)
	if w.Code != http.StatusOK {
		s.t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

func (s *studio) post(path string, form url.Values) *httptest.ResponseRecorder {
	return s.ask(posting(path, form))
}

// everything is a form that means all folders.
var everything = url.Values{"all": {"yes"}}

func posting(path string, form url.Values) *http.Request {
	r := httptest.NewRequest(http.MethodPost, path, io.NopCloser(strings.NewReader(form.Encode())))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r
}

// momentOf is what the page shows of a status.
func momentOf(s status.Status, at time.Time) *moment {
	return newMoment(s, newNames(s.Products), at)
}
