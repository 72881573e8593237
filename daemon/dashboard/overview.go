package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"spinsync/daemon/status"
)

const (
	// rowsPerPage is how many folders a person reads through; thousands more are reached by search and
	// filter.
	rowsPerPage = 50
	// lastEvents is how much of the activity the overview shows.
	lastEvents = 8
)

// An overview is the front page, with its search and filter.
type overview struct {
	query    string
	state    status.State // empty for all
	number   int          // of the page of the list, from 1
	readOnly bool
	places   map[string]string // where product folders belong, by root
}

func (p *Dashboard) showOverview(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	p.show(w, p.placed(p.overviewOf(r.URL.Query())), m)
}

// placed gives an overview the places where product folders belong.
func (p *Dashboard) placed(o overview) overview {
	o.places = p.d.Daemon().Places()
	return o
}

func (p *Dashboard) overviewOf(q url.Values) overview {
	number, err := strconv.Atoi(q.Get("page"))
	if err != nil {
		number = 1
	}
	state := status.State(q.Get("state"))
	if !slices.Contains(status.States, state) {
		state = ""
	}
	return overview{query: q.Get("q"), state: state, number: max(1, number), readOnly: p.o.ReadOnly}
}

// address is the overview with another state or page.
func (o overview) address(state status.State, number int) string {
	if q := o.values(state, number).Encode(); q != "" {
		return "/?" + q
	}
	return "/"
}

func (o overview) values(state status.State, number int) url.Values {
	q := url.Values{}
	if o.query != "" {
		q.Set("q", o.query)
	}
	if state != "" {
		q.Set("state", string(state))
	}
	if number > 1 {
		q.Set("page", strconv.Itoa(number))
	}
	return q
}

func (o overview) page(m *moment) page {
	v := m.verdict()
	q := o.values(o.state, o.number)
	q.Set("of", "overview")
	return page{
		Title:  v.Word,
		Query:  o.query,
		State:  o.state,
		Tone:   v.Tone,
		Kind:   "overview",
		Stream: "/stream?" + q.Encode(),
	}
}

func (o overview) parts(m *moment) map[string]any {
	here := place{Here: o.address(o.state, o.number), ReadOnly: m.readOnly(o.readOnly), NoReload: o.readOnly, ServiceCause: m.status.Service.Cause}
	return map[string]any{
		"hero":     m.hero(here),
		"signals":  m.signals(),
		"day":      m.day,
		"folders":  o.list(m, here),
		"places":   m.status,
		"activity": recent(m.history.events, lastEvents),
	}
}

// A place is where the reader is, so that a form can lead back.
type place struct {
	Here         string
	ReadOnly     bool
	NoReload     bool
	ServiceCause *status.Cause // the trouble with the service, shown once, at the top
}

// A hero is the word at the top with the verbs for all.
type hero struct {
	verdict
	place
	Also             []verdict // the other verdicts, the worst first
	Sending          transfer  // of all folders
	Paused, Troubled bool
	Unread           bool     // sync.toml is not what holds, and may be read again
	Fleet            string   // who publishes; empty at a computer alone, and where that is not known
	Notes            []string // what people should know although publishing goes on
}

func (m *moment) hero(here place) hero {
	all := m.verdicts()
	h := hero{
		verdict: all[0], place: here, Also: all[1:], Paused: m.status.Paused, Sending: m.sending(),
		Unread:   !here.NoReload && m.status.Settings != "",
		Troubled: m.counts[status.Attention]+m.counts[status.Retrying] > 0 || m.status.Service.Trouble != "",
	}
	if m.status.Fleet != nil && m.status.Fleet.Trouble == "" { // else it is the headline's
		h.Fleet = m.status.Fleet.Line()
	}
	for _, note := range []string{m.status.Settings, m.status.Recovery} {
		if note != "" {
			h.Notes = append(h.Notes, note)
		}
	}
	h.Notes = append(h.Notes, m.status.Links()...)
	return h
}

// A folderList is one page of the product folders that match.
type folderList struct {
	place
	Query      string
	State      status.State
	Chips      []chip
	Rows       []row
	Places     []string // where product folders belong, one for each root
	Found, All int
	From, To   int
	Previous   string // address, or ""
	Next       string
}

// A chip is a filter by state.
type chip struct {
	State   status.State
	Word    string
	Count   int
	Address string
	Chosen  bool
}

func (o overview) list(m *moment, here place) folderList {
	found := o.matching(m)
	last := max(1, (len(found)+rowsPerPage-1)/rowsPerPage)
	number := min(o.number, last)
	from, to := (number-1)*rowsPerPage, min(number*rowsPerPage, len(found))
	list := folderList{
		place: here, Query: o.query, State: o.state, Chips: o.chips(m), Found: len(found), All: len(m.order),
		From: from + 1, To: to,
	}
	for _, root := range m.status.Roots {
		list.Places = append(list.Places, o.places[root.Path])
	}
	for _, i := range found[from:to] {
		list.Rows = append(list.Rows, newRow(m.product(int(i)), here))
	}
	if number > 1 {
		list.Previous = o.address(o.state, number-1)
	}
	if number < last {
		list.Next = o.address(o.state, number+1)
	}
	return list
}

// matching are the places of the folders of the state that hold every word of the query.
func (o overview) matching(m *moment) []int32 {
	words := strings.Fields(strings.ToLower(o.query))
	if len(words) == 0 && o.state == "" {
		return m.order
	}
	var found []int32
	for _, i := range m.order {
		if p := m.product(int(i)); (o.state == "" || p.State == o.state) && p.holds(words) {
			found = append(found, i)
		}
	}
	return found
}

func (p product) holds(words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join([]string{p.Title, p.SKU, p.Project, p.Folder, p.Reason}, "\n"))
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

func (o overview) chips(m *moment) []chip {
	chips := []chip{{Word: "All", Count: len(m.order), Address: o.address("", 1), Chosen: o.state == ""}}
	for _, state := range status.States {
		if m.counts[state] == 0 && o.state != state {
			continue
		}
		chips = append(chips, chip{state, stateWord(state), m.counts[state], o.address(state, 1), o.state == state})
	}
	return chips
}

// A row is one product folder in a list.
type row struct {
	product
	place
	Name     string
	Done, Of int  // frames; Of 0 for no bar
	AsIs     bool // a person may publish the frames that are there
}

func newRow(p product, here place) row {
	r := row{product: p, place: here, Name: p.name()}
	r.AsIs = p.State == status.Attention && (p.Cause.Is(status.TooFew) || p.Cause.Is(status.TooMany))
	r.Done, r.Of = p.progress()
	return r
}

// progress is how far a folder under way has come, in frames.
func (p product) progress() (done, of int) {
	of = max(p.Frames.Expected, p.Frames.Settled)
	switch p.State {
	case status.Uploading, status.Processing, status.Queued, status.Retrying:
		return min(p.Frames.Uploaded, of), of
	case status.Collecting:
		return min(p.Frames.Settled, of), p.Frames.Expected
	}
	return 0, 0
}

// FrameCount is how many frames a row has.
func (r row) FrameCount() string {
	n := r.Frames.Settled
	switch {
	case r.State == status.Published:
		return counted(max(n, r.Frames.Uploaded), "frame", "frames")
	case r.Of > 0:
		return strconv.Itoa(r.Done) + " of " + counted(r.Of, "frame", "frames")
	case n > 0:
		return counted(n, "frame", "frames")
	}
	return ""
}

// ListedCount is FrameCount, or empty where the reason has the count.
func (r row) ListedCount() string {
	if status.HasFrameCount(r.product.Cause) {
		return ""
	}
	return r.FrameCount()
}

// Transfer is how far the upload of the folder has come.
func (r row) Transfer() transfer {
	if r.State != status.Uploading {
		return transfer{}
	}
	return transfer{min(r.SentBytes, r.TotalBytes), r.TotalBytes, r.Rate}
}

// Fragments is the reason in pieces. A command that has a button on the page is replaced by the name
// of the button.
func (r row) Fragments() []fragment {
	if r.waitsForService() {
		return []fragment{{Text: "Waits; the reason is at the top."}}
	}
	if r.product.Cause.Is(status.AllPaused) {
		return []fragment{{Text: "Everything is paused"}} // the overview has the button
	}
	pieces := fragments(sentence(r.Reason))
	for i, piece := range pieces {
		if label := r.labelFor(piece); label != "" {
			pieces[i] = fragment{Text: label, Button: true}
		}
	}
	return pieces
}

// Cause is the technical cause. It is empty when the page shows the trouble at its top.
func (r row) Cause() string {
	if r.waitsForService() {
		return ""
	}
	return r.Detail
}

func (r row) waitsForService() bool {
	return r.ServiceCause != nil && r.product.Cause.Same(r.ServiceCause)
}

// labelFor is the label of the button that does what a command in a reason does, or "".
func (r row) labelFor(piece fragment) string {
	if !piece.Code {
		return ""
	}
	for _, b := range r.Buttons() {
		command := "spinsync" + strings.Replace(b.Verb, "/", " ", 1)
		if b.Field == "as_is" {
			command += " --as-is"
		}
		if strings.HasPrefix(piece.Text, command+" ") {
			return b.Label
		}
	}
	return ""
}

// Picture is the address of a picture of the row, or "". It changes with the picture.
func (r row) Picture() string {
	switch {
	case r.PublishedAt != nil:
		return fmt.Sprintf("/folder/%s/thumb?revision=%d", r.ID, r.Revision)
	case r.Frames.Settled > 0 && r.State != status.Missing:
		return "/folder/" + r.ID + "/thumb"
	}
	return ""
}

// Needs reports whether a person must act.
func (r row) Needs() bool { return r.State == status.Attention }

// CanRetry reports whether a retry by a person can help. A click never permits the deletion of a
// view.
func (r row) CanRetry() bool {
	return !r.ReadOnly && !r.DeleteAsked && (r.State == status.Attention || r.State == status.Retrying)
}

// CanResume reports whether the row waits for the end of its own pause, which a person can end.
func (r row) CanResume() bool {
	return !r.ReadOnly && r.State == status.Paused && r.product.Cause.Is(status.FolderPaused)
}
