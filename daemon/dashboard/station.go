package dashboard

import (
	"net/http"
	"net/url"

	"spinsync/syncstate"
)

func stationID(root string) string { return idOf(syncstate.Folder{Root: root}) }

// A stationView is the sign of one station on a whole screen, for a display beside the turntable.
type stationView struct{ root string }

func (p *Dashboard) showStation(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	v, ok := m.station(r.PathValue("id"))
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		p.show(w, lostView{}, m)
		return
	}
	p.show(w, v, m)
}

func (m *moment) station(id string) (stationView, bool) {
	for _, root := range m.status.Roots {
		if stationID(root.Path) == id {
			return stationView{root.Path}, true
		}
	}
	return stationView{}, false
}

func (v stationView) page(m *moment) page {
	s := m.signOf(v.root)
	q := url.Values{"of": {"station"}, "id": {s.StationID}}
	return page{Title: s.Station, Tone: s.Tone(), Kind: "station", Stream: "/stream?" + q.Encode()}
}

func (v stationView) parts(m *moment) map[string]any {
	return map[string]any{"station": m.signOf(v.root)}
}
