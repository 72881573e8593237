package dashboard

import (
	"time"

	"spinsync/daemon/status"
)

// A measure is how many bytes had been sent at a time.
type measure struct {
	at    time.Time
	total int64
}

// Measures are those of the last seconds, the oldest first.
type measures []measure

// with adds a measure, and drops those that are too old. After a fall of the total it starts again.
func (m measures) with(next measure) measures {
	if n := len(m); n > 0 && m[n-1].total > next.total {
		m = nil
	}
	m = append(m, next)
	for next.at.Sub(m[0].at) > rateSpan && len(m) > 2 {
		m = m[1:]
	}
	return m
}

// rate is in bytes a second.
func (m measures) rate() float64 {
	if len(m) < 2 {
		return 0
	}
	from, to := m[0], m[len(m)-1]
	return float64(to.total-from.total) / max(1, to.at.Sub(from.at).Seconds())
}

// measureEach measures the folders that send, and forgets the others.
func (r *recorder) measureEach(now *moment) {
	for id := range r.each {
		if p, ok := now.find(id); !ok || p.State != status.Uploading {
			delete(r.each, id)
		}
	}
	for p := range now.products() {
		if p.State == status.Uploading {
			r.each[p.ID] = r.each[p.ID].with(measure{now.at, p.SentBytes})
		}
	}
}

// rates are those of the folders that send, by ID.
func (r *recorder) rates() map[string]float64 {
	rates := make(map[string]float64, len(r.each))
	for id, m := range r.each {
		rates[id] = m.rate()
	}
	return rates
}
