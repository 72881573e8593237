package schedule

import "time"

// How many uploads are in flight when the configuration names no number. Sixteen fill a clean line
// of 100 Mbit/s at 40 ms and keep two cores busy on a local network. A line that loses packets
// needs three times as many. Each upload holds about 250 KB of buffers, which bounds their number.
const (
	slotsAtFirst = 16
	slotsAtMost  = 48
	slotsAtLeast = 2
)

const (
	// The rate is measured over this long, and judged by the mean of two measurements: several
	// round trips of a far line, and many bursts of a lossy one.
	measureEvery = 500 * time.Millisecond
	// After a verdict so many judgements pass before another number is tried, as paths change.
	tryAgainAfter = 12
)

// A tuner finds the number of uploads that carries the most, from the rate measured once per
// interval.
//
// It doubles the number. The step stands if the rate grew by a quarter of the number's growth, else
// the tuner takes it back: a path that is limited by loss or by round trips carries nearly twice as
// much with twice the uploads, a full path no more at all, so that noise does not matter. A lossy
// line seems full until its connections have met their first losses. A rate that sinks, even by
// little, is therefore a reason to try again. A host that is overloaded takes number back too.
type tuner struct {
	now     int
	before  int     // the number to go back to while a step is under trial, else 0
	rate    float64 // before that step, or at the last verdict
	resting int     // judgements to let pass
	skip    int     // measurements to let pass: new connections start slowly
	half    float64 // the first of two measurements; 0 = none yet
}

func newTuner() tuner { return tuner{now: slotsAtFirst, skip: 1} }

// measured takes in a rate, in any unit, that was reached with all uploads in flight.
func (t *tuner) measured(rate float64) {
	switch {
	case t.skip > 0:
		t.skip--
	case t.half == 0:
		t.half = rate
	default:
		rate, t.half = (rate+t.half)/2, 0
		t.judge(rate)
	}
}

func (t *tuner) judge(rate float64) {
	switch {
	case t.before > 0 && !t.pays(rate):
		*t = tuner{now: t.before, rate: t.rate, resting: tryAgainAfter, skip: 1}
		return
	case t.before == 0 && t.resting > 0 && rate >= 0.9*t.rate:
		t.resting--
		return
	}
	next := min(2*t.now, slotsAtMost)
	if next == t.now {
		*t = tuner{now: t.now, rate: rate, resting: tryAgainAfter}
		return
	}
	*t = tuner{now: next, before: t.now, rate: rate, skip: 1}
}

// pays reports whether the step under trial carries enough more to stand.
func (t *tuner) pays(rate float64) bool {
	grown := float64(t.now)/float64(t.before) - 1
	return rate >= t.rate*(1+grown/4)
}

// shrink lowers the number for an overloaded host.
func (t *tuner) shrink() {
	*t = tuner{now: max(slotsAtLeast, t.now/2), resting: tryAgainAfter, skip: 1}
}
