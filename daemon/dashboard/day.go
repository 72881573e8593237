package dashboard

import (
	"slices"
	"time"
)

// A dayBoard sums up a day.
type dayBoard struct {
	At       time.Time // of any publication of the day
	Shot     int       // folders in which frames arrived
	OnTheWay int
	Live     int // folders that went live
	Frames   int // of the newest publication of each
	Bytes    int64
	Median   time.Duration // from the last frame to live, of all publications; 0 when unknown
	Late     time.Duration // the 95th percentile
	Sum      time.Duration // of all that are known
	Timed    int           // how many these are
}

func (m *moment) day() dayBoard {
	day := m.history.today
	if !sameDay(day.At, m.at) {
		day = dayBoard{}
	}
	day.Shot, day.OnTheWay = m.shot(), m.onItsWay()
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
	dayBoard
	newest    map[string]run  // by the folder's ID
	latencies []time.Duration // of all publications, sorted
}

// add counts a publication. A publication of a later day begins a new tally. A publication of an
// earlier day is not counted.
func (t *tally) add(r run) {
	if !sameDay(t.At, r.Live) {
		if r.Live.Before(t.At) {
			return
		}
		*t = tally{dayBoard: dayBoard{At: r.Live}, newest: map[string]run{}}
	}
	before := t.newest[r.ID]
	t.newest[r.ID] = r
	t.Live = len(t.newest)
	t.Frames += r.Frames - before.Frames
	t.Bytes += r.Bytes - before.Bytes
	if l := r.Latency(); l > 0 {
		i, _ := slices.BinarySearch(t.latencies, l)
		t.latencies = slices.Insert(t.latencies, i, l)
		t.Sum += l
		t.Timed = len(t.latencies)
		t.Median, t.Late = percentile(t.latencies, 50), percentile(t.latencies, 95)
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
