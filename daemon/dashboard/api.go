package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
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

// metrics answers in Prometheus's text format.
func (p *Dashboard) metrics(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	writeMetrics(w, m, p.o.Version)
}

func writeMetrics(w io.Writer, m *moment, version string) {
	day := m.day
	head := func(name, kind, help string) {
		fmt.Fprintf(w, "# HELP spinsync_%s %s\n# TYPE spinsync_%s %s\n", name, help, name, kind)
	}
	one := func(name, kind, help string, value any) {
		head(name, kind, help)
		fmt.Fprintf(w, "spinsync_%s %v\n", name, value)
	}
	head("build_info", "gauge", "The version of the program.")
	fmt.Fprintf(w, "spinsync_build_info{version=%s} 1\n", label(version))
	one("start_time_seconds", "gauge", "When the daemon started, in seconds since 1970.", m.status.Started.Unix())
	head("folders", "gauge", "Product folders by state.")
	for _, state := range status.States {
		fmt.Fprintf(w, "spinsync_folders{state=%s} %d\n", label(string(state)), m.counts[state])
	}
	one("paused", "gauge", "1 while everything is paused.", number(m.status.Paused))
	one("service_up", "gauge", "1 while the hosting service answers.", number(m.status.Service.Trouble == ""))
	head("root_online", "gauge", "1 while the root can be read.")
	for _, root := range m.status.Roots {
		fmt.Fprintf(w, "spinsync_root_online{root=%s} %d\n", label(root.Path), number(root.Online))
	}
	one("sent_bytes_total", "counter", "Bytes of photos sent since the start.", m.history.total)
	one("published_today", "gauge", "Product folders whose view went live since midnight, local time.", day.Live)
	head("last_frame_to_live_seconds", "summary", "Time from the last frame to live, of today's views.")
	median, late := day.Median.Seconds(), day.Late.Seconds()
	if day.Timed == 0 {
		median, late = math.NaN(), math.NaN()
	}
	const live = "spinsync_last_frame_to_live_seconds"
	fmt.Fprintf(w, live+"{quantile=\"0.5\"} %g\n"+live+"{quantile=\"0.95\"} %g\n", median, late)
	fmt.Fprintf(w, live+"_sum %g\n"+live+"_count %d\n", day.Sum.Seconds(), day.Timed)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// label quotes a value as the format asks for.
func label(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "\uFFFD")) + `"`
}
