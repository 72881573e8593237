package dashboard

import (
	"time"

	"spinsync/syncstate"
)

// load takes over the saved history of an earlier program.
func (r *recorder) load(h syncstate.History, now time.Time) {
	for _, p := range h.Publications {
		r.count(runOf(p))
	}
	for _, s := range h.Samples {
		if age := now.Sub(s.At); age > plotSpan || age < 0 {
			continue
		}
		r.idle(s.At)
		r.samples = append(r.samples, s)
	}
	r.idle(now)
}

// idle puts an idle time, of which nothing is kept, between the last sample and the next one.
func (r *recorder) idle(next time.Time) {
	if len(r.samples) == 0 {
		return
	}
	if last := r.samples[len(r.samples)-1].At; next.Sub(last) > 2*sampleGap {
		r.samples = append(r.samples,
			syncstate.Sample{At: last.Add(sampleGap)}, syncstate.Sample{At: next.Add(-sampleGap)})
	}
}

// keepSample keeps nothing of idle times.
func (r *recorder) keepSample(s syncstate.Sample) {
	if s.Rate > 0 || s.Queue > 0 {
		r.unsaved.Samples = append(newest(r.unsaved.Samples, syncstate.MostSamples), s)
	}
}

// saveSamples is how many samples wait for one write to the disk: a minute of them.
const saveSamples = int(time.Minute / sampleGap)

// unsavedPast returns the history that is due to be saved. With all, samples are due even before
// they fill a minute.
func (r *recorder) unsavedPast(all bool) (h syncstate.History, due bool) {
	h = r.unsaved
	if len(h.Publications) == 0 && len(h.Samples) < saveSamples && !(all && len(h.Samples) > 0) {
		return h, false
	}
	r.unsaved = syncstate.History{}
	return h, true
}

// save writes the unsaved history to the state file. If that fails, the running page keeps its
// history and only the next program lacks it.
func (b *board) save(all bool) {
	b.mu.Lock()
	h, due := b.history.unsavedPast(all)
	b.mu.Unlock()
	if !due {
		return
	}
	if err := b.d.Records.AddHistory(h); err != nil {
		b.log.Debug("the history of the page could not be saved", "error", err)
	}
}
