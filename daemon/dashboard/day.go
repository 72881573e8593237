package dashboard

import (
	"slices"
	"time"
)

// A dayBoard sums up today.
type dayBoard struct {
	Shot     int // folders in which frames arrived today
	OnTheWay int
	Live     int // folders that went live today
	Frames   int // of these
	Bytes    int64
	Median   time.Duration // from the last frame to live; 0 when unknown
	Late     time.Duration // the 95th percentile
	Sum      time.Duration // of all that are known
	Timed    int           // how many these are
}

func (m *moment) day() dayBoard {
	day := dayBoard{Shot: m.shot(), OnTheWay: m.onItsWay()}
	if published := m.history.today; sameDay(published.at, m.at) {
		day.Live, day.Frames, day.Bytes = published.live, published.frames, published.bytes
		day.Median, day.Late, day.Sum, day.Timed = published.median, published.late, published.sum, published.timed
	}
	return day
}

func (m *moment) shot() int {
	y, month, d := m.at.Local().Date()
	midnight, n := time.Date(y, month, d, 0, 0, 0, 0, time.Local), 0
	for p := range m.products() {
		if !p.Arrived.Before(midnight) {
			n++
		}
	}
	return n
}

// A tally counts the publications of a day as they come, however many these are.
type tally struct {
	at        time.Time       // of any publication of the day
	newest    map[string]run  // by the folder's ID
	latencies []time.Duration // of all publications, sorted
	sums
}

// sums are the totals of a tally.
type sums struct {
	frames int // of the newest publication of each folder
	bytes  int64
	sum    time.Duration // of the latencies
}

// A dayPast is a tally at one moment.
type dayPast struct {
	at time.Time
	sums
	live, timed  int
	median, late time.Duration
}

// add counts a publication. A publication of a later day begins a new tally. A publication of an
// earlier day is not counted.
func (t *tally) add(r run) {
	if !sameDay(t.at, r.Live) {
		if r.Live.Before(t.at) {
			return
		}
		*t = tally{at: r.Live, newest: map[string]run{}}
	}
	before := t.newest[r.ID]
	t.newest[r.ID] = r
	t.frames += r.Frames - before.Frames
	t.bytes += r.Bytes - before.Bytes
	if l := r.Latency(); l > 0 {
		i, _ := slices.BinarySearch(t.latencies, l)
		t.latencies = slices.Insert(t.latencies, i, l)
		t.sum += l
	}
}

func (t *tally) past() dayPast {
	return dayPast{
		at: t.at, sums: t.sums, live: len(t.newest), timed: len(t.latencies),
		median: percentile(t.latencies, 50), late: percentile(t.latencies, 95),
	}
}

// knows reports whether a publication is counted. The page may have seen it a little later than the
// state file records it.
func (t *tally) knows(p product) bool {
	known, ok := t.newest[p.ID]
	return ok && known.Revision == p.Revision && known.Live.Sub(*p.PublishedAt).Abs() < time.Minute
}

// percentile is the nearest rank in a sorted list, 0 in an empty one.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)*p+99)/100-1]
}
