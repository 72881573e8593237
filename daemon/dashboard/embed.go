package dashboard

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon"
	"spinsync/syncstate"
)

// embeds asks the service for the markup of a product, and caches it, because it does not change.
type embeds struct {
	d *daemon.Daemon

	mu    sync.Mutex
	known map[syncstate.Folder]knownEmbed
}

type knownEmbed struct {
	apiclient.Embed
	product string
}

// mostEmbeds bounds the memory.
const mostEmbeds = 500

func newEmbeds(d *daemon.Daemon) *embeds {
	return &embeds{d: d, known: map[syncstate.Folder]knownEmbed{}}
}

func (e *embeds) of(ctx context.Context, p product) (apiclient.Embed, error) {
	if known, ok := e.remembered(p); ok {
		return known, nil
	}
	fresh, err := e.d.Embed(ctx, p.Key())
	if err != nil {
		return fresh, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.known) >= mostEmbeds {
		clear(e.known)
	}
	e.known[p.Key()] = knownEmbed{fresh, p.Product}
	return fresh, nil
}

func (e *embeds) remembered(p product) (apiclient.Embed, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	known, ok := e.known[p.Key()]
	return known.Embed, ok && known.product == p.Product
}

// embed answers with the markup and the link of a folder's view.
func (p *Dashboard) embed(w http.ResponseWriter, r *http.Request, found product) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	e, err := p.embeds.of(ctx, found)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	if r.URL.Query().Has("open") {
		http.Redirect(w, r, e.Src, http.StatusSeeOther)
		return
	}
	if r.URL.Query().Has("plain") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte(e.Markup + "\n"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]string{"markup": e.Markup, "link": e.Src})
}
