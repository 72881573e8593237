package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A tableSignal tells the person at a turntable whether the product on it may go. Each root is one
// station. Its signal is about the folder in which frames last arrived, and says whether that
// folder is complete: every frame is whole and read. The upload plays no part in it.
type tableSignal struct {
	Station   string // the root's short name
	StationID string // in the address of its page
	ID        string // of the newest folder
	Name      string
	Frames    int
	Of        int // frames of a full turn; 0 when unknown
	Clear     bool
	Need      string    // the remedy before the product may go; empty for none
	Arrived   time.Time // when its last frame came
}

// signalAge is how long a station is told that its last product may go; then it is ready for the
// next one.
const signalAge = 2 * time.Hour

// signals has one for each station that has a product on it, in the order of the configuration.
func (m *moment) signals() []tableSignal {
	var list []tableSignal
	for _, root := range m.status.Roots {
		if s := m.signalOf(root.Path); s.ID != "" {
			list = append(list, s)
		}
	}
	return list
}

// signalOf is a station's signal, without an ID when it is ready for the next product.
func (m *moment) signalOf(root string) tableSignal {
	s := tableSignal{Station: stationName(root), StationID: stationID(root)}
	place, shot := m.newest[root]
	if !shot {
		return s
	}
	p := m.product(place)
	if p.State == status.Missing || p.Complete && m.at.Sub(p.Arrived) > signalAge {
		return s
	}
	s.ID, s.Name, s.Frames, s.Of = p.ID, p.name(), p.Frames.Settled, p.Frames.Expected
	s.Clear, s.Need, s.Arrived = p.Complete, p.need(), p.Arrived
	return s
}

// need returns the remedy that the frames of a folder need from a person.
func (p product) need() string {
	missing := p.Frames.Expected - p.Frames.Settled
	switch {
	case p.State != status.Attention || p.Complete:
		return ""
	case p.Corrupt != "":
		return "shoot " + p.Corrupt + " again"
	case p.Frames.Expected > 0 && missing > 0:
		return counted(missing, "frame is", "frames are") + " missing"
	case p.Frames.Expected > 0 && missing < 0:
		return counted(-missing, "frame", "frames") + " too many"
	}
	return "see why"
}

// Tone is the colour of the signal.
func (s tableSignal) Tone() tone {
	switch {
	case s.Need != "":
		return bad
	case s.Clear:
		return good
	case s.ID != "":
		return busy
	}
	return quiet
}

// Words are the text of the signal.
func (s tableSignal) Words() string {
	switch {
	case s.Need != "":
		return "Needs you: " + s.Need
	case s.Clear:
		return "You may clear the table"
	case s.ID != "":
		return "Leave the table as it is"
	}
	return "Ready for the next product"
}

func stationID(root string) string { return idOf(syncstate.Folder{Root: root}) }

// A stationView is the signal of one station on a whole screen, for a display beside the turntable.
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
	s := m.signalOf(v.root)
	q := url.Values{"of": {"station"}, "id": {s.StationID}}
	return page{Title: s.Station, Tone: s.Tone(), Kind: "station", Stream: "/stream?" + q.Encode()}
}

func (v stationView) parts(m *moment) map[string]any {
	return map[string]any{"station": m.signalOf(v.root)}
}
