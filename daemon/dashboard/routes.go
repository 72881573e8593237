package dashboard

import (
	"net/http"

	"spinsync/daemon"
)

func (p *Dashboard) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.showOverview)
	mux.HandleFunc("GET /activity", p.showActivity)
	mux.HandleFunc("GET /table/{id}", p.showTable)
	mux.HandleFunc("GET /folder/{id}", p.showFolder)
	mux.HandleFunc("GET /folder/{id}/thumb", p.ofFolder(p.thumbOfFolder))
	mux.HandleFunc("GET /folder/{id}/frame", p.ofFolder(p.frame))
	mux.HandleFunc("GET /folder/{id}/embed", p.ofFolder(p.embed))
	mux.HandleFunc("GET /stream", p.stream)
	mux.HandleFunc("GET /healthz", p.healthz)
	mux.Handle("GET /metrics", p.metrics())
	mux.HandleFunc("GET /api/status", p.apiStatus)
	mux.HandleFunc("GET /api/export", p.apiExport)
	mux.HandleFunc("GET /api/folder/{id}", p.ofFolder(p.apiFolder))
	mux.HandleFunc("GET /openapi.yaml", describe)
	mux.HandleFunc("GET /qr.svg", p.qrCode)
	mux.HandleFunc("GET /static/{name}", asset)
	if !p.o.ReadOnly {
		mux.HandleFunc("POST /retry", p.verb(p.retry, "as_is"))
		mux.HandleFunc("POST /pause", p.verb(p.plainly(daemon.Pause)))
		mux.HandleFunc("POST /resume", p.verb(p.plainly(daemon.Resume)))
		mux.HandleFunc("POST /forget", p.verb(p.forget, "delete_view"))
		mux.HandleFunc("POST /rush", p.verb(p.rush, "off"))
	}
	if !p.o.ReadOnly && p.o.Reload != nil {
		mux.HandleFunc("POST /reload", p.verb(p.reload))
	}
	return mux
}

// ofFolder answers about the product folder that the address names.
func (p *Dashboard) ofFolder(answer func(http.ResponseWriter, *http.Request, product)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		m, _ := p.board.latest()
		found, ok := m.find(r.PathValue("id"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		answer(w, r, found)
	}
}
