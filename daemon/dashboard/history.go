package dashboard

import (
	"slices"
	"time"

	"spinsync/daemon"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// Bounds of the history. Runs and samples outlive the program. Events do not; those of publications
// are made anew from the runs.
const (
	mostEvents  = 1000
	mostRuns    = syncstate.MostPublications
	sampleGap   = 10 * time.Second
	mostSamples = syncstate.MostSamples // an hour
	rateSpan    = 10 * time.Second
)

// history is the past as seen from one moment. Its slices are shared and never changed.
type history struct {
	events  []event            // the oldest first
	runs    []run              // the newest publications, the oldest first
	today   dayBoard           // of all publications of a day
	samples []syncstate.Sample // the points of the plot, one each sampleGap, the oldest first
	rate    float64            // bytes a second, over the last seconds
	rates   map[string]float64 // the same of each folder that sends, by ID
	total   int64              // bytes sent since the start
	media   []string           // origins of published images
}

// An event is something that happened to a product folder, or to the whole when ID is empty.
type event struct {
	At     time.Time
	ID     string
	Title  string
	State  status.State
	Reason string
}

// A run is one publication as the page saw it, with the ID of its folder.
type run struct {
	ID string
	syncstate.Publication
}

func runOf(p syncstate.Publication) run { return run{idOf(p.Folder), p} }

// Latency is the time from the last frame to live, or 0 when unknown.
func (r run) Latency() time.Duration {
	if r.LastFrame.IsZero() {
		return 0
	}
	return max(0, r.Live.Sub(r.LastFrame))
}

// A recorder turns moments into history. It belongs to the board.
type recorder struct {
	d        *daemon.Daemon
	events   []event
	runs     []run
	tally    tally
	samples  []syncstate.Sample
	measures measures
	each     map[string]measures     // of each folder that sends, by ID
	total    int64                   // bytes sent since the start
	told     map[string]status.State // the last event of a folder, by ID
	lastTime map[string]time.Time    // when frames of a folder were last seen to arrive, by ID
	freed    map[string]time.Time    // when a folder stopped waiting for a person, by ID
	media    []string
	unsaved  syncstate.History
}

func newRecorder(d *daemon.Daemon) *recorder {
	return &recorder{
		d:        d,
		each:     map[string]measures{},
		told:     map[string]status.State{},
		lastTime: map[string]time.Time{},
		freed:    map[string]time.Time{},
	}
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
		events:  r.events,
		runs:    r.runs,
		today:   r.tally.dayBoard,
		samples: newest(r.samples, mostSamples),
		rate:    r.measures.rate(),
		rates:   r.rates(),
		total:   r.total,
		media:   r.media,
	}
}

// originsFrom is the number of views whose image origins are learned at the start. All views have
// their images in the same few places.
const originsFrom = 20

// recall reads the publications of today from the state file. So a restart does not empty the day
// board, even if no page was open to see them.
func (r *recorder) recall(now *moment) {
	learned := 0
	for p := range now.products() {
		switch {
		case p.PublishedAt == nil:
			continue
		case sameDay(*p.PublishedAt, now.at) && !p.Found && !r.tally.knows(p):
			r.earlier(p)
		}
		if learned < originsFrom && len(r.learnOrigins(p)) > 0 {
			learned++
		}
	}
	slices.SortFunc(r.runs, func(a, b run) int { return a.Live.Compare(b.Live) })
	r.recallEvents(now)
}

// recallEvents tells the publications of an earlier program, of folders that are still known.
func (r *recorder) recallEvents(now *moment) {
	for _, done := range newest(r.runs, mostEvents) {
		if p, ok := now.find(done.ID); ok {
			r.event(event{At: done.Live, ID: p.ID, Title: p.name(), State: status.Published})
		}
	}
}

func (r *recorder) compare(before, now *moment) {
	if before.status.Paused != now.status.Paused {
		r.event(pauseEvent(now))
	}
	for p := range now.products() {
		old, _ := before.find(p.ID)
		if p.Arrived.After(old.Arrived) {
			r.lastTime[p.ID] = now.at
		}
		if waitsForPerson(old) && !waitsForPerson(p) {
			r.freed[p.ID] = now.at
		}
		newer := p.PublishedAt != nil && !p.showsAs(old.ProductStatus)
		renamed := newer && slices.ContainsFunc(before.status.Products, p.showsAs)
		if r.worthTelling(old, p, now.status.Paused) && !r.swings(p) && !renamed {
			r.told[p.ID] = p.State
			r.event(eventOf(old, p, now.at))
		}
		if newer && !renamed && !p.Found {
			r.publication(p, now.at)
		}
	}
}

// showsAs reports whether two statuses show the same publication. The folder may have been renamed
// in between.
func (p product) showsAs(old status.ProductStatus) bool {
	return old.PublishedAt != nil &&
		p.Product == old.Product && p.Revision == old.Revision && p.PublishedAt.Equal(*old.PublishedAt)
}

// eventOf makes the event of a folder's change. The end of a pause is told as such, and is no
// publication.
func eventOf(old, p product, at time.Time) event {
	e := event{At: at, ID: p.ID, Title: p.name(), State: p.State, Reason: p.Reason}
	if old.State == status.Paused && p.State == status.Published {
		e.State, e.Reason = resumed, ""
	}
	return e
}

// worthTelling reports whether a folder came into another state, or into other trouble. A pause of
// all, and its end, is told once.
func (r *recorder) worthTelling(old, p product, allPaused bool) bool {
	switch {
	case p.State == status.Paused && allPaused:
		return false
	case old.State == status.Paused && p.State == status.Published:
		return r.told[p.ID] == status.Paused
	case p.State == status.Attention && old.Reason != p.Reason:
		return true
	}
	return old.State != p.State
}

// swings reports a change that is not worth an event: a folder goes to and fro between arriving and
// uploading with each frame while it is being shot, or between retrying and uploading while the
// service is away.
func (r *recorder) swings(p product) bool {
	told := r.told[p.ID]
	return p.State == told && told != status.Attention || p.State == status.Collecting && told == status.Uploading ||
		p.State == status.Uploading && told == status.Retrying
}

func pauseEvent(now *moment) event {
	if now.status.Paused {
		return event{At: now.at, Title: "Everything", State: status.Paused}
	}
	return event{At: now.at, Title: "Everything", State: resumed}
}

// resumed is told in the activity only.
const resumed status.State = "resumed"

func (r *recorder) event(e event) { r.events = appendBounded(r.events, e, mostEvents) }

// appendBounded keeps at least the newest entries of a list. Readers of an older list see no
// change, because its entries are never written again.
func appendBounded[T any](list []T, next T, most int) []T {
	if len(list) >= 2*most {
		list = slices.Clone(list[len(list)-most:])
	}
	return append(list, next)
}

func newest[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

func (r *recorder) publication(p product, live time.Time) {
	frames := r.learnOrigins(p)
	if len(frames) == 0 {
		return
	}
	done := syncstate.Publication{
		Folder: p.Key(), Revision: p.Revision, Frames: len(frames), Live: live, LastFrame: r.lastFrame(p, frames),
	}
	for _, f := range frames {
		done.Bytes += f.Size
	}
	r.countAndKeep(done)
	delete(r.lastTime, p.ID)
	delete(r.freed, p.ID)
}

// earlier counts a publication of today that no page was open to see. It leaves the time of the
// last frame unknown: that time would have to be read from all frames, and a pass may have
// published thousands of folders.
func (r *recorder) earlier(p product) {
	images, bytes, err := r.d.PublishedSize(p.Key())
	if err != nil || images == 0 {
		return
	}
	r.countAndKeep(syncstate.Publication{
		Folder: p.Key(), Revision: p.Revision, Frames: images, Bytes: bytes, Live: *p.PublishedAt,
	})
}

func (r *recorder) countAndKeep(done syncstate.Publication) {
	r.count(runOf(done))
	r.unsaved.Publications = append(r.unsaved.Publications, done)
}

func (r *recorder) count(done run) {
	r.runs = appendBounded(r.runs, done, mostRuns)
	r.tally.add(done)
}

// learnOrigins returns the published frames, and remembers the origins of their images.
func (r *recorder) learnOrigins(p product) []syncstate.Frame {
	frames, err := r.d.PublishedFrames(p.Key())
	if err != nil {
		return nil
	}
	for _, f := range frames {
		r.learnOrigin(f.MediaURL)
		r.learnOrigin(f.ThumbnailURL)
	}
	return frames
}

// waitsForPerson reports whether a folder goes on only when a person acts. Such a wait does not
// count in the latency.
func waitsForPerson(p product) bool { return p.State == status.Attention || p.State == status.Paused }

// lastFrame returns the time of the newest frame, or the later time at which the folder stopped
// waiting for a person. Files may be copied with their old times. A time long before the page saw
// the frames arrive is therefore replaced by the time of their arrival.
func (r *recorder) lastFrame(p product, frames []syncstate.Frame) time.Time {
	const settling = time.Minute
	var newest time.Time
	for _, f := range frames {
		if f.ModTime.After(newest) {
			newest = f.ModTime
		}
	}
	seen, ok := r.lastTime[p.ID]
	freed := r.freed[p.ID]
	switch {
	case newest.After(p.PublishedAt.Add(time.Second)): // which is told to the second
		return time.Time{} // touched since, or a clock that is wrong
	case freed.After(newest) && freed.After(seen):
		return freed
	case ok && seen.Sub(newest) > settling:
		return seen
	case !ok && p.PublishedAt.Sub(newest) > 12*time.Hour:
		return time.Time{}
	}
	return newest
}

// learnOrigin permits images from the origin of an address.
func (r *recorder) learnOrigin(address string) { r.media = withOrigin(r.media, address) }

// measure counts bytes, and takes a sample when one is due.
func (r *recorder) measure(sent int64, now *moment) {
	r.total += sent
	r.measures = r.measures.with(measure{now.at, r.total})
	if n := len(r.samples); n > 0 && now.at.Sub(r.samples[n-1].At) < sampleGap {
		return
	}
	next := syncstate.Sample{At: now.at, Rate: r.measures.rate(), Queue: now.onItsWay()}
	r.samples = appendBounded(r.samples, next, mostSamples)
	r.keepSample(next)
}

// sentBetween is the sum of what each folder sent; a count that fell began anew.
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

func sameDay(a, b time.Time) bool {
	a, b = a.Local(), b.Local()
	return a.YearDay() == b.YearDay() && a.Year() == b.Year()
}
