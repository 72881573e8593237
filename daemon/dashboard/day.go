package dashboard

import (
	"slices"
	"time"

	"spinsync/daemon"
)

// A dayBoard sums up today.
type dayBoard struct {
	Shooting int // folders with frames arriving now
	OnTheWay int
	Live     int // published today
	Frames   int // of these
	Bytes    int64
	Median   time.Duration // from the last frame to live; 0 when nobody knows
	Late     time.Duration // the 95th percentile
	Sum      time.Duration // of all that are known
	Timed    int           // how many these are
	All      int           // views that are live
}

func (m *moment) day() dayBoard {
	day := dayBoard{Shooting: m.counts[daemon.Collecting], OnTheWay: m.onItsWay(), All: m.counts[daemon.Published]}
	var latencies []time.Duration
	for _, r := range m.history.runs {
		if !sameDay(r.Live, m.at) {
			continue
		}
		day.Live++
		day.Frames += r.Frames
		day.Bytes += r.Bytes
		if l := r.Latency(); l > 0 {
			latencies = append(latencies, l)
			day.Sum += l
		}
	}
	slices.Sort(latencies)
	day.Timed = len(latencies)
	day.Median, day.Late = quantile(latencies, 0.5), quantile(latencies, 0.95)
	return day
}

// quantile is the nearest rank in a sorted list.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
