package dashboard

import (
	"net/http"
	"slices"
)

// An activityView is the page of all that happened.
type activityView struct{ readOnly bool }

func (p *Dashboard) showActivity(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	p.show(w, activityView{p.o.ReadOnly}, m)
}

func (activityView) page(m *moment) page {
	return page{Title: "Activity", Tone: m.verdict().Tone, Kind: "activity", Stream: "/stream?of=activity"}
}

func (v activityView) parts(m *moment) map[string]any {
	return map[string]any{"activity": withReasons(recent(m.history.events, mostEvents), place{ReadOnly: m.readOnly(v.readOnly)})}
}

// recent are the newest events, the newest first.
func recent(events []event, most int) []event {
	list := slices.Clone(newest(events, most))
	slices.Reverse(list)
	return list
}

// withReasons are the events with their reasons, which name the buttons of the folder's page.
func withReasons(events []event, here place) []event {
	for i, e := range events {
		events[i].Reason = newRow(e.then, here).Fragments()
	}
	return events
}
