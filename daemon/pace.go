package daemon

import (
	"sync"
	"time"
)

// A pace is how long the service usually processes, as the products before have shown. The zero value knows nothing.
type pace struct {
	mu       sync.Mutex
	product  time.Duration // smoothed, whatever the number of images
	perImage time.Duration
}

// observe takes in how long so many images took.
func (p *pace) observe(images int, took time.Duration) {
	if images <= 0 || took <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.product = smooth(p.product, took)
	p.perImage = smooth(p.perImage, took/time.Duration(images))
}

// smooth follows a value that varies, the first one at once.
func smooth(usual, newest time.Duration) time.Duration {
	if usual == 0 {
		return newest
	}
	return usual + (newest-usual)/4
}

// expect tells when so many images will be ready, from the finish request on: the two answers are for a service that takes
// the same for each product, and for one that takes the same for each image. It reports false when nothing is known.
func (p *pace) expect(images int) (soonest, latest time.Duration, known bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	scaled := p.perImage * time.Duration(images)
	return min(p.product, scaled), max(p.product, scaled), p.product > 0
}

// pollPause is the wait before the next status request, this long after the finish request. What is known of the service
// makes the requests dense where the end is due and spares those before; what is noticed too late by is a part of the time
// that it took anyway. Jitter only lengthens. A clock that was set back since the finish request makes elapsed negative.
func (p *pace) pollPause(images int, elapsed time.Duration, random func(int64) int64) time.Duration {
	elapsed = max(0, elapsed)
	soonest, latest, known := p.expect(images)
	switch begin := soonest * 7 / 10; {
	case known && elapsed < begin:
		return begin - elapsed
	case known && elapsed < 2*latest:
		return longer(elapsed*16/100, random)
	}
	return longer(elapsed/2, random)
}

// longer adds up to a fifth.
func longer(pause time.Duration, random func(int64) int64) time.Duration {
	return pause + time.Duration(random(int64(pause/5)+1))
}
