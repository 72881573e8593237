package dashboard

import (
	"net/http"
	"slices"
)

// An activityView is the page of all that happened.
type activityView struct{}

func (p *Dashboard) showActivity(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	p.show(w, activityView{}, m)
}

func (activityView) page(m *moment) page {
	return page{Title: "Activity", Tone: m.verdict().Tone, Kind: "activity", Stream: "/stream?of=activity"}
}

func (activityView) parts(m *moment) map[string]any {
	return map[string]any{"activity": recent(m.history.events, mostEvents)}
}

// recent are the newest events, the newest first.
func recent(events []event, most int) []event {
	list := slices.Clone(newest(events, most))
	slices.Reverse(list)
	return list
}

// inShort are events without their reasons, for a page that shows these elsewhere.
func inShort(events []event) []event {
	for i := range events {
		events[i].Reason = ""
	}
	return events
}
