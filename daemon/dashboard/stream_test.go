package dashboard

import (
	"bufio"
	"encoding/json"
	"html/template"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The stream sends a publication without another request.
func TestStreamSendsWhatChanges(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		answer := s.stream("/stream?of=overview")
		if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
			t.Fatalf("the stream is %s", kind)
		}
		s.shoot("Summer/SKU-1", "1.jpg")
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var u update
			if err := json.Unmarshal([]byte(data), &u); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(u.Parts["folders"]), "Published") && u.Title == "Published" && u.Tone == good {
				return
			}
		}
		t.Fatal("the stream ended", lines.Err())
	})
}

// TestSilentStreamShowsThatItLives: a page that does not change for long still gets a sign of life of
// its stream, also while newer moments come.
func TestSilentStreamShowsThatItLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
		s := &stream{w: w, flush: http.NewResponseController(w), tick: time.NewTicker(heartbeat)}
		defer s.tick.Stop()
		r := httptest.NewRequest(http.MethodGet, "/stream", nil)
		for range 6 {
			newer := make(chan struct{})
			time.AfterFunc(redrawGap, func() { close(newer) })
			s.wait(r, newer)
		}
		if beats := strings.Count(w.Body.String(), ": "); beats != 3 && beats != 4 {
			t.Errorf("in a minute %d signs of life", beats)
		}
	})
}

// An open page learns when images may come from another host, although nothing else changes: it
// shows no image from there before it is loaded again.
func TestStreamNamesAnotherMediaHost(t *testing.T) {
	w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	s := &stream{
		p: &Dashboard{}, v: activityView{}, w: w, flush: http.NewResponseController(w), sent: map[string]template.HTML{},
		tick: time.NewTicker(heartbeat),
	}
	defer s.tick.Stop()
	m := stand(noon)
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			m.history.media = []string{"https://media.example.com"}
		}
		if err := s.send(m); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(w.Body.String(), "data: "); n != want {
			t.Errorf("after %d moments there are %d events, want %d", i+1, n, want)
		}
	}
}

// A deadlined is a recorder as a stream writes to.
type deadlined struct{ *httptest.ResponseRecorder }

func (deadlined) SetWriteDeadline(time.Time) error { return nil }

// A page that is closed makes room for another one.
func TestClosedStreamMakesRoom(t *testing.T) {
	inStudio(t, "", Options{}, func(t *testing.T, s *studio) {
		for range mostStreams + 1 { // each ends at once: what it is written to has no deadlines
			if w := s.get("/stream?of=overview"); w.Code != http.StatusOK {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
		}
	})
}
