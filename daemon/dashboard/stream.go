package dashboard

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"time"
)

const (
	// eventGap is the least time between two events of one page.
	eventGap = 500 * time.Millisecond
	// heartbeat is how often a silent stream sends a sign of life, so that a dead one is noticed.
	heartbeat = 15 * time.Second
	// eventPatience is how long a browser may take to receive one event.
	eventPatience = 20 * time.Second
	// mostStreams is how many pages can be open at a time.
	mostStreams = 100
)

// stream keeps one open page up to date. Its query is that of the page, with the kind of page as
// "of", and the ID of its table or folder.
func (p *Dashboard) stream(w http.ResponseWriter, r *http.Request) {
	v, ok := p.viewOf(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	select {
	case p.open <- struct{}{}:
		defer func() { <-p.open }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s := &stream{
		p:     p,
		v:     v,
		w:     w,
		flush: http.NewResponseController(w),
		sent:  map[string]template.HTML{},
		tick:  time.NewTicker(heartbeat),
	}
	defer s.tick.Stop()
	for {
		m, newer := p.board.latest()
		if err := s.send(m); err != nil {
			return
		}
		if !s.wait(r, newer) {
			return
		}
	}
}

// viewOf is the view whose stream was asked for.
func (p *Dashboard) viewOf(r *http.Request) (view, bool) {
	switch q := r.URL.Query(); q.Get("of") {
	case "overview":
		return p.placed(p.overviewOf(q)), true
	case "activity":
		return activityView{p.o.ReadOnly}, true
	case "table":
		m, _ := p.board.latest()
		return m.table(q.Get("id"))
	case "folder":
		v := p.folderOf(r)
		return v, v != nil
	}
	return nil, false
}

// A stream is one open page.
type stream struct {
	p     *Dashboard
	v     view
	w     http.ResponseWriter
	flush *http.ResponseController
	sent  map[string]template.HTML
	looks string
	tick  *time.Ticker // restarted by each write
}

// An update is one event: the parts that changed.
type update struct {
	Looks string                   `json:"looks"`
	Title string                   `json:"title"`
	Tone  tone                     `json:"tone"`
	Parts map[string]template.HTML `json:"parts"`
}

func (s *stream) send(m *moment) error {
	parts, err := render(s.v.parts(m))
	if err != nil {
		s.p.o.Log.Error("dashboard", "error", err)
		return err
	}
	for name, html := range parts {
		if s.sent[name] == html {
			delete(parts, name)
		} else {
			s.sent[name] = html
		}
	}
	looks := s.p.looks(s.v, m)
	if len(parts) == 0 && looks == s.looks {
		return nil
	}
	s.looks = looks
	head := s.v.page(m)
	text, err := json.Marshal(update{Looks: looks, Title: head.Title, Tone: head.Tone, Parts: parts})
	if err != nil {
		return err
	}
	return s.write(fmt.Sprintf("data: %s\n\n", text))
}

func (s *stream) write(text string) error {
	if err := s.flush.SetWriteDeadline(time.Now().Add(eventPatience)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	s.tick.Reset(heartbeat)
	return s.flush.Flush()
}

// wait returns when there is something newer, and reports false when the page was closed.
func (s *stream) wait(r *http.Request, newer <-chan struct{}) bool {
	gap := time.NewTimer(eventGap)
	defer gap.Stop()
	select {
	case <-gap.C:
	case <-r.Context().Done():
		return false
	}
	for {
		select {
		case <-newer:
			return true
		case <-s.tick.C:
			if s.write(": \n\n") != nil {
				return false
			}
		case <-r.Context().Done():
			return false
		}
	}
}
