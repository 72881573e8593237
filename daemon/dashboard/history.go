package dashboard

import (
	"slices"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/status"
)

const (
	mostEvents = 200
	rateSpan   = 10 * time.Second
)

// history is the past as seen from one moment. It is in memory only. Its slices are shared and
// never changed.
type history struct {
	events []event            // the oldest first
	rate   float64            // bytes a second, over the last seconds
	rates  map[string]float64 // the same of each folder that sends, by ID
	total  int64              // bytes sent since the start
	media  []string           // origins of published images
}

// An event is something that happened to a product folder, or to the whole when ID is empty.
type event struct {
	At     time.Time
	ID     string
	Title  string
	State  status.State
	Reason []fragment // withReasons fills it in
	then   product    // the folder as it was; zero when there is no reason
}

// A recorder turns moments into history. It belongs to the board.
type recorder struct {
	d        *daemon.Live
	events   []event
	measures measures
	each     map[string]measures     // of each folder that sends, by ID
	total    int64                   // bytes sent since the start
	shown    map[string]status.State // the last event of a folder, by ID
	media    []string
}

func newRecorder(d *daemon.Live) *recorder {
	return &recorder{d: d, each: map[string]measures{}, shown: map[string]status.State{}}
}

// note compares two moments that follow one another. Before is nil at the start.
func (r *recorder) note(before, now *moment) {
	if before == nil {
		r.recall(now)
		r.measure(0, now)
	} else {
		r.compare(before, now)
		r.measure(sentBetween(before, now), now)
	}
	r.measureEach(now)
}

func (r *recorder) history() history {
	return history{
		events: newest(r.events, mostEvents),
		rate:   r.measures.rate(),
		rates:  r.rates(),
		total:  r.total,
		media:  r.media,
	}
}

// originsFrom is the number of views whose image origins are learned at the start. All views have
// their images in the same few places.
const originsFrom = 20

// recall begins the activity with the views of the day, and learns where their images are.
func (r *recorder) recall(now *moment) {
	for _, v := range newest(now.day.Views, mostEvents) {
		p := now.product(v.place)
		r.event(event{At: v.Live, ID: p.ID, Title: p.name(), State: status.Published})
	}
	learned := 0
	for p := range now.products() {
		if learned < originsFrom && p.PublishedAt != nil && r.learnOrigins(p) {
			learned++
		}
	}
}

func (r *recorder) compare(before, now *moment) {
	if before.status.Paused != now.status.Paused {
		r.event(pauseEvent(now))
	}
	for p := range now.products() {
		old, _ := before.find(p.ID)
		newer := p.PublishedAt != nil && !p.showsAs(old.ProductStatus)
		renamed := newer && slices.ContainsFunc(before.status.Products, p.showsAs)
		if r.isNews(old, p, now.status.Paused) && !r.swings(p) && !renamed {
			r.shown[p.ID] = p.State
			r.event(eventOf(old, p, now.at))
		}
		if newer {
			r.learnOrigins(p)
		}
	}
	for p := range before.products() {
		if _, known := now.find(p.ID); !known && p.Cause.Is(status.GoneDeleting) {
			r.event(event{At: now.at, Title: p.name(), State: deleted})
		}
	}
}

// showsAs reports whether two statuses show the same publication. The folder may have been renamed
// in between.
func (p product) showsAs(old status.ProductStatus) bool {
	return old.PublishedAt != nil &&
		p.Product == old.Product && p.Revision == old.Revision && p.PublishedAt.Equal(*old.PublishedAt)
}

// eventOf makes the event of a folder's change. The end of a pause is an event of its own, and no
// publication.
func eventOf(old, p product, at time.Time) event {
	e := event{At: at, ID: p.ID, Title: p.name(), State: p.State, then: p}
	if old.State == status.Paused && p.State == status.Published {
		e.State, e.then = resumed, product{}
	}
	return e
}

// isNews reports whether a folder came into another state, or into other trouble. A pause of all,
// and its end, is one event.
func (r *recorder) isNews(old, p product, allPaused bool) bool {
	switch {
	case p.State == status.Paused && allPaused:
		return false
	case old.State == status.Paused && p.State == status.Published:
		return r.shown[p.ID] == status.Paused
	case p.State == status.Attention && old.Reason != p.Reason:
		return true
	}
	return old.State != p.State
}

// swings reports a change that is not worth an event: a folder goes to and fro between arriving and
// uploading with each frame while it is being shot, or between retrying and uploading while the
// service is away.
func (r *recorder) swings(p product) bool {
	shown := r.shown[p.ID]
	return p.State == shown && shown != status.Attention || p.State == status.Collecting && shown == status.Uploading ||
		p.State == status.Uploading && shown == status.Retrying
}

func pauseEvent(now *moment) event {
	if now.status.Paused {
		return event{At: now.at, Title: "Everything", State: status.Paused}
	}
	return event{At: now.at, Title: "Everything", State: resumed}
}

// States of the activity only.
const (
	resumed status.State = "resumed"
	deleted status.State = "view deleted" // its folder is gone, and has no page any more
)

// event adds an event. Readers of an older history see no change, because its entries are never
// written again.
func (r *recorder) event(e event) {
	if len(r.events) >= 2*mostEvents {
		r.events = slices.Clone(newest(r.events, mostEvents))
	}
	r.events = append(r.events, e)
}

func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// learnOrigins remembers the origins of a folder's published images, and reports whether it has
// any.
func (r *recorder) learnOrigins(p product) bool {
	frames, err := r.d.Daemon().PublishedFrames(p.Key())
	if err != nil {
		return false
	}
	for _, f := range frames {
		r.learnOrigin(f.MediaURL)
		r.learnOrigin(f.ThumbnailURL)
	}
	return len(frames) > 0
}

// learnOrigin permits images from the origin of an address.
func (r *recorder) learnOrigin(address string) { r.media = withOrigin(r.media, address) }

// measure counts bytes.
func (r *recorder) measure(sent int64, now *moment) {
	r.total += sent
	r.measures = r.measures.with(measure{now.at, r.total})
}

// sentBetween is the sum of what each folder sent; a count that fell started again from 0.
func sentBetween(before, now *moment) int64 {
	var sum int64
	for p := range now.products() {
		if p.SentBytes == 0 {
			continue
		}
		old, _ := before.find(p.ID)
		if p.SentBytes < old.SentBytes {
			old.SentBytes = 0
		}
		sum += p.SentBytes - old.SentBytes
	}
	return sum
}

func (m *moment) rate() float64 { return m.history.rate }

func (m *moment) onItsWay() int {
	return m.counts[status.Queued] + m.counts[status.Uploading] +
		m.counts[status.Processing] + m.counts[status.Retrying]
}
