package schedule

import (
	"sync"
	"time"
)

// A PollEstimator learns how long the service processes a product, and tells when to ask for its
// status (interface 4.14). The zero value knows nothing.
type PollEstimator struct {
	mu       sync.Mutex
	product  guess // for a product of any size
	perImage guess // for each image
}

// A guess is the usual time, and how well it has foretold the times that came.
type guess struct {
	usual time.Duration // smoothed
	off   float64       // smoothed error: from 0, as foretold, to 1, out of all proportion
}

// worseBy is how much farther off one guess must be for the other to count alone. Products of one
// size keep both the same.
const worseBy = 0.1

func (g *guess) learn(newest time.Duration) {
	if g.usual > 0 {
		missed := 1 - float64(min(newest, g.usual))/float64(max(newest, g.usual))
		g.off += (missed - g.off) / 4
	}
	g.usual = smooth(g.usual, newest)
}

// Observe learns from the time that so many images took, as a punctual request saw it. The first
// request of a run shows an upper bound only. When more was expected, half of the bound becomes
// usual at once.
func (p *PollEstimator) Observe(images int, took time.Duration, first bool) {
	if images <= 0 || took <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	each := took / time.Duration(images)
	if first && took < p.product.usual && each < p.perImage.usual {
		p.product.usual, p.perImage.usual = took/2, each/2
		return
	}
	p.product.learn(took)
	p.perImage.learn(each)
}

// smooth follows a value that varies, the first one at once. A value out of all proportion counts
// as the double of the usual one.
func smooth(usual, newest time.Duration) time.Duration {
	if usual == 0 {
		return newest
	}
	return usual + (min(newest, 2*usual)-usual)/4
}

// Punctual reports whether a request was sent and answered about when it was due. After a pause of
// the program, the machine or the line, the time says little about processing.
func Punctual(due, answered time.Time, took time.Duration) bool {
	return !due.IsZero() && answered.Sub(due) <= max(took/5, time.Second)
}

// expect tells when so many images will be ready, from the finish request on. One bound is for a
// service that takes the same time for each product, the other for the same time for each image.
// Both are equal once products of several sizes have shown which service it is.
func (p *PollEstimator) expect(images int) (soonest, latest time.Duration, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	same, scaled := p.product.usual, p.perImage.usual*time.Duration(images)
	switch worse := p.product.off - p.perImage.off; {
	case worse > worseBy:
		same = scaled
	case worse < -worseBy:
		scaled = same
	}
	return min(same, scaled), max(same, scaled), p.product.usual > 0
}

// Where the end can be foretold, requests begin at seven tenths of the time. Their distance is a
// part of the time passed, so that a late notice costs little. After the double of the time nothing
// is known.
const (
	pollBegins = 0.7
	pollStep   = 0.16
	pollEnds   = 2
)

// Pause is the wait before the next status request, so long after the finish request. While nothing
// is known it grows with the time that has passed, up to longest. Jitter only lengthens. A clock
// that was set back makes elapsed negative.
func (p *PollEstimator) Pause(images int, elapsed, longest time.Duration, random func(int64) int64) time.Duration {
	elapsed = max(0, elapsed)
	soonest, latest, known := p.expect(images)
	switch begin := part(soonest, pollBegins); {
	case known && elapsed < begin:
		return begin - elapsed
	case known && elapsed < pollEnds*latest:
		return longer(part(elapsed, pollStep), random)
	}
	return min(longer(elapsed/2, random), longest)
}

// LongestPause is the longest wait that Pause gives.
func (p *PollEstimator) LongestPause(images int, longest time.Duration) time.Duration {
	soonest, latest, _ := p.expect(images)
	step := part(pollEnds*latest, pollStep)
	return max(longest, part(soonest, pollBegins), step+step/5)
}

func part(d time.Duration, of float64) time.Duration { return time.Duration(float64(d) * of) }

// longer adds up to a fifth.
func longer(pause time.Duration, random func(int64) int64) time.Duration {
	return pause + time.Duration(random(int64(pause/5)+1))
}
