package dashboard

import (
	"net/http"
	"slices"

	"spinsync/daemon/status"
)

// mostShown is how much of the activity its page shows.
const mostShown = 300

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
	return map[string]any{"activity": recent(m.history.events, mostShown)}
}

// recent are the newest events, the newest first.
func recent(events []event, most int) []event {
	list := slices.Clone(newest(events, most))
	slices.Reverse(list)
	return list
}

// inShort are events without their reasons, for a page that tells these elsewhere.
func inShort(events []event) []event {
	for i := range events {
		events[i].Reason = ""
	}
	return events
}

// eventsOf are the newest events of one product folder, the newest first, but for publications,
// which are told as runs.
func eventsOf(events []event, id string, most int) []event {
	var list []event
	for _, e := range slices.Backward(events) {
		if e.ID == id && e.State != status.Published && len(list) < most {
			list = append(list, e)
		}
	}
	return list
}
