package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"spinsync/daemon/status"
)

// healthz answers 200 while publishing can go on, and 503 when it cannot: it is for programs that
// watch over this one.
func (p *Dashboard) healthz(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if trouble := m.status.Trouble(); trouble != "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintln(w, trouble)
		return
	}
	fmt.Fprintln(w, "ok")
}

// wholeStatus is the answer of /api/status.
type wholeStatus struct {
	At      time.Time            `json:"at"`
	Word    string               `json:"word"`
	Detail  string               `json:"detail"`
	Version string               `json:"version"`
	Counts  map[status.State]int `json:"counts"`
	Rate    float64              `json:"bytes_per_second"`
	Today   today                `json:"today"`
	status.Status
}

// today is the day board for programs. The times are in seconds, 0 when unknown.
type today struct {
	Published int     `json:"published"`
	Frames    int     `json:"frames"`
	Bytes     int64   `json:"bytes"`
	Median    float64 `json:"last_frame_to_live_median_seconds"`
	Late      float64 `json:"last_frame_to_live_p95_seconds"`
}

func (p *Dashboard) apiStatus(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	v, day := m.verdict(), m.day
	answer(w, wholeStatus{
		At:      m.at,
		Word:    v.Word,
		Detail:  v.Sentence,
		Version: p.o.Version,
		Counts:  m.counts,
		Rate:    m.rate(),
		Status:  m.status.InWords(),
		Today:   today{day.Live, day.Frames, day.Bytes, day.Median.Seconds(), day.Late.Seconds()},
	})
}

func (p *Dashboard) apiFolder(w http.ResponseWriter, r *http.Request, found product) {
	details, err := p.d.Daemon().Details(r.Context(), found.Key())
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	details.ProductStatus = details.InWords()
	answer(w, details)
}

// embed leads to a folder's view, or answers with the markup that shows it on a page.
func (p *Dashboard) embed(w http.ResponseWriter, r *http.Request, found product) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	e, err := p.d.Daemon().Embed(ctx, found.Key())
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	case r.URL.Query().Has("open"):
		http.Redirect(w, r, e.Src, http.StatusSeeOther)
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, e.Markup)
	}
}

// apiExport answers one published product a line, so that a million images need no memory.
func (p *Dashboard) apiExport(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	encoder := json.NewEncoder(w)
	patience := http.NewResponseController(w)
	err := p.d.Daemon().Export(func(product status.ExportedProduct) error {
		// A reader may be slow, but goes on.
		_ = patience.SetWriteDeadline(time.Now().Add(eventPatience))
		return encoder.Encode(product)
	})
	if err != nil {
		panic(http.ErrAbortHandler) // the reader sees a cut answer, never a short list
	}
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.Encode(value)
}
