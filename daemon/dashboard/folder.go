package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"time"

	"spinsync/daemon/status"
)

// A folderView is the page of one product folder. It reads the folder only when something about it
// changed.
type folderView struct {
	p       *Dashboard
	id      string
	asked   context.Context
	details status.Details
	read    time.Time
	of      product // what the details were read for
	err     error
}

// detailsPatience is how long reading a folder may take before its page is shown without.
const detailsPatience = 10 * time.Second

// detailsAge is how old details may be although the folder's status did not change: a text may have
// been written in the folder.
const detailsAge = 30 * time.Second

func (p *Dashboard) showFolder(w http.ResponseWriter, r *http.Request) {
	m, _ := p.board.latest()
	v := p.folderOf(r)
	if v == nil {
		w.WriteHeader(http.StatusNotFound)
		p.show(w, lostView{}, m)
		return
	}
	p.show(w, v, m)
}

func (p *Dashboard) folderOf(r *http.Request) *folderView {
	id := cmp.Or(r.PathValue("id"), r.URL.Query().Get("id"))
	m, _ := p.board.latest()
	if _, ok := m.find(id); !ok {
		return nil
	}
	return &folderView{p: p, id: id, asked: r.Context()}
}

func (v *folderView) page(m *moment) page {
	found, _ := m.find(v.id)
	q := url.Values{"of": {"folder"}, "id": {v.id}}
	return page{
		Title:  found.name() + " · " + stateWord(found.State),
		Tone:   toneOf(found.State),
		Kind:   "folder",
		Stream: "/stream?" + q.Encode(),
	}
}

func (v *folderView) parts(m *moment) map[string]any {
	found, ok := m.find(v.id)
	if !ok {
		return map[string]any{"lost": nil}
	}
	v.refresh(found, m.at)
	full := folderPage{
		Held:    m.status.Paused,
		row:     newRow(found, place{Here: "/folder/" + v.id, ReadOnly: m.readOnly(v.p.o.ReadOnly)}),
		Details: v.details,
	}
	if v.err != nil {
		full.Trouble = v.err.Error()
	}
	return map[string]any{
		"folder-head":   full,
		"folder-spin":   full.spin(),
		"folder-facts":  full,
		"folder-frames": full,
		"folder-media":  full,
	}
}

// refresh reads the folder again when its status changed or its details are old.
func (v *folderView) refresh(found product, now time.Time) {
	latest, before := found, v.of
	latest.SentBytes, before.SentBytes, latest.Rate, before.Rate = 0, 0, 0, 0
	if latest == before && now.Sub(v.read) < detailsAge {
		return
	}
	ctx, cancel := context.WithTimeout(v.asked, detailsPatience)
	defer cancel()
	v.details, v.err = v.p.d.Daemon().Details(ctx, found.Key())
	v.of, v.read = found, now
}

// A folderPage is all that one folder's page shows.
type folderPage struct {
	row
	Details status.Details
	Trouble string // why the details could not be read
	Held    bool   // everything is paused
}

// Waited is the time from the last frame to the view, or "".
func (f folderPage) Waited() string {
	if f.PublishedAt == nil {
		return ""
	}
	took, known := sinceShot(f.Live)
	if !known {
		return ""
	}
	return span(took)
}

// CanPause reports whether a person can pause the folder or let it go on. While everything is
// paused, only that can be ended.
func (f folderPage) CanPause() bool { return !f.ReadOnly && !f.Held }

// CanRush reports whether a person can have the folder go first, or end that.
func (f folderPage) CanRush() bool {
	return !f.ReadOnly && (f.Priority || f.State != status.Published && f.State != status.Missing)
}

// Tone is the colour of the state.
func (r row) Tone() tone { return toneOf(r.State) }

func toneOf(s status.State) tone {
	switch s {
	case status.Attention:
		return bad
	case status.Retrying:
		return warn
	case status.Published:
		return good
	case status.Uploading, status.Processing, status.Queued, status.Collecting:
		return busy
	}
	return quiet
}

// A page lists so many frames of a folder, and turns so many pictures. A set has 24 to 72 frames:
// thousands are a folder that someone filled by mistake.
const (
	listedFrames = 500
	turnPictures = 360
)

// Shown are the frames with what a page needs of each: the first of them, and all that are broken.
func (f folderPage) Shown() (list []shownFrame) {
	for i, d := range f.Details.Frames {
		if i < listedFrames || d.State == status.FrameBroken {
			list = append(list, f.frame(i))
		}
	}
	return list
}

// More is how many frames the page does not list.
func (f folderPage) More() int { return len(f.Details.Frames) - len(f.Shown()) }

func (f folderPage) frame(i int) shownFrame {
	return shownFrame{FrameDetails: f.Details.Frames[i], Number: i + 1, ID: f.ID}
}

// Bytes is the size of all frames.
func (f folderPage) Bytes() (sum int64) {
	for _, d := range f.Details.Frames {
		if d.State != status.FrameGone {
			sum += d.Size
		}
	}
	return sum
}

// Media are the listed frames that have an address on the service.
func (f folderPage) Media() []shownFrame {
	return slices.DeleteFunc(f.Shown(), func(d shownFrame) bool { return d.MediaURL == "" })
}

// A shownFrame is one frame on a folder's page.
type shownFrame struct {
	status.FrameDetails
	Number int
	ID     string // of the folder
}

// Thumb is the address of a small picture: the service's while the file is as published, else one
// made here.
func (f shownFrame) Thumb() string {
	if f.published() && f.ThumbnailURL != "" {
		return f.ThumbnailURL
	}
	return f.local(thumbWidth)
}

// Picture is the address of a large picture.
func (f shownFrame) Picture() string {
	if f.published() && f.MediaURL != "" && !f.Video {
		return f.MediaURL + "/resize;w_960/image.webp"
	}
	return f.local(pictureWidth)
}

func (f shownFrame) published() bool {
	return f.State == status.FramePublished || f.State == status.FrameGone
}

func (f shownFrame) local(width int) string {
	q := url.Values{"name": {f.File}, "v": {f.ModTime.UTC().Format("20060102150405.000000000")}}
	if width == pictureWidth {
		q.Set("size", "large")
	}
	return "/folder/" + f.ID + "/frame?" + q.Encode()
}

// Word is the state as people read it.
func (f shownFrame) Word() string {
	if f.State == status.FrameGone {
		return "not in the folder any more"
	}
	return string(f.State)
}

// A spin is the turn that a reader can turn.
type spin struct {
	Name   string
	First  shownFrame
	Count  int
	Frames string // JSON: the addresses of the pictures, in order
	Video  string // address, or ""
}

func (f folderPage) spin() spin {
	s := spin{Name: f.Name}
	var addresses []string
	step := (len(f.Details.Frames) + turnPictures - 1) / turnPictures // 1 for a set
	for i := range f.Details.Frames {
		frame := f.frame(i)
		switch {
		case frame.Video:
			s.Video = frame.MediaURL
		case i%step == 0 && (shows(frame.State) || f.State == status.Missing):
			if len(addresses) == 0 {
				s.First = frame
			}
			addresses = append(addresses, frame.Picture())
		}
	}
	text, err := json.Marshal(addresses)
	if err != nil {
		panic(err) // strings
	}
	s.Count, s.Frames = len(addresses), string(text)
	return s
}

// shows reports whether a frame in this state has a picture in the turn.
func shows(s status.FrameState) bool {
	return s != status.FrameArriving && s != status.FrameBroken && s != status.FrameGone
}

// A lostView is the page of a folder that does not exist.
type lostView struct{}

func (lostView) page(*moment) page            { return page{Title: "Not found", Kind: "missing", Tone: quiet} }
func (lostView) parts(*moment) map[string]any { return nil }
