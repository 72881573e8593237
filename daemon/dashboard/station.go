package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// signAge is how long a station is told that its last product may go; then it is ready for the next
// one.
const signAge = 2 * time.Hour

// signs has one for each station that has a product on it, in the order of the configuration.
func (m *moment) signs() []sign {
	var list []sign
	for _, root := range m.status.Roots {
		if s := m.signOf(root.Path); s.ID != "" {
			list = append(list, s)
		}
	}
	return list
}

// signOf is a station's sign, without an ID when it is ready for the next product.
func (m *moment) signOf(root string) sign {
	s := m.history.signs[root]
	p, found := m.find(s.ID)
	if !found || p.State == status.Missing || s.Clear && m.at.Sub(s.At) > signAge {
		s = sign{Root: root}
	}
	s.Station, s.StationID = stationName(root), stationID(root)
	return s
}

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
