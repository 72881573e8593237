package dashboard

import (
	"net/http"
	"net/url"
	"time"

	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A tableSignal shows the person at a turntable whether the product on it may go. Each root is one
// table. Its signal is about the folder in which frames last arrived: whether that folder is
// complete, with every frame whole and read. The upload plays no part in it.
type tableSignal struct {
	Table   string // the root's short name
	TableID string // in the address of its page
	ID      string // of the newest folder
	Name    string
	Frames  int
	Of      int // frames of a full turn; 0 when unknown
	Clear   bool
	Need    string    // the remedy before the product may go; empty for none
	Arrived time.Time // when its last frame came
}

// signalAge is how long a table shows that its last product may go; then it is ready for the next
// one.
const signalAge = 2 * time.Hour

// signals has one for each table that has a product on it, in the order of the configuration.
func (m *moment) signals() []tableSignal {
	var list []tableSignal
	for _, root := range m.status.Roots {
		if s := m.signalOf(root.Path); s.ID != "" {
			list = append(list, s)
		}
	}
	return list
}

// signalOf is a table's signal, without an ID when it is ready for the next product.
func (m *moment) signalOf(root string) tableSignal {
	s := tableSignal{Table: tableName(root), TableID: tableID(root)}
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

func tableID(root string) string { return idOf(syncstate.Folder{Root: root}) }

// A tableView is the signal of one table on a whole screen, for a display at the turntable.
type tableView struct{ root string }

func (p *Dashboard) showTable(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	v, ok := m.table(r.PathValue("id"))
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		p.show(w, lostView{}, m)
		return
	}
	p.show(w, v, m)
}

func (m *moment) table(id string) (tableView, bool) {
	for _, root := range m.status.Roots {
		if tableID(root.Path) == id {
			return tableView{root.Path}, true
		}
	}
	return tableView{}, false
}

func (v tableView) page(m *moment) page {
	s := m.signalOf(v.root)
	q := url.Values{"of": {"table"}, "id": {s.TableID}}
	return page{Title: s.Table, Tone: s.Tone(), Kind: "table", Stream: "/stream?" + q.Encode()}
}

func (v tableView) parts(m *moment) map[string]any {
	return map[string]any{"table": m.signalOf(v.root)}
}
