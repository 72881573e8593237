package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// embed leads to a folder's view, or answers with the markup that shows it on a page.
func (p *Dashboard) embed(w http.ResponseWriter, r *http.Request, found product) {
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	e, err := p.d.Embed(ctx, found.Key())
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
