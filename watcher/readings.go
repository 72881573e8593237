package watcher

import (
	"sync"
	"sync/atomic"
	"time"

	"spinsync/watcher/clock"
)

// readings lists the readings that are under way, to notice those which the system does not answer.
// A stat on a dead network drive may never return, and nothing can interrupt it.
type readings struct {
	base time.Time // monotonic zero of the beats
	mu   sync.Mutex
	open map[*activeReading]struct{}
}

// An activeReading is one reading of one directory.
type activeReading struct {
	path string
	last atomic.Int64 // when the system answered last, since base
}

// newReadings is an empty list.
func newReadings() *readings { return &readings{base: time.Now(), open: map[*activeReading]struct{}{}} }

// begin notes that a reading begins.
func (o *readings) begin(path string) *activeReading {
	p := &activeReading{path: path}
	o.beat(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[p] = struct{}{}
	return p
}

// beat notes that the system has answered.
func (o *readings) beat(p *activeReading) { p.last.Store(int64(o.now())) }

// now is the time since base, as long as the machine was awake.
func (o *readings) now() time.Duration { return time.Since(o.base) - clock.Overslept() }

// end notes that a reading has ended.
func (o *readings) end(p *activeReading) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, p)
}

// during is one reading that does only one thing.
func (o *readings) during(path string, do func() error) error {
	p := o.begin(path)
	defer o.end(p)
	return do()
}

// stuck gives the place and last sign of life of a reading that has been silent for longer than
// limit.
func (o *readings) stuck(limit time.Duration) (path string, since time.Time, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p := range o.open {
		silent := o.now() - time.Duration(p.last.Load())
		if last := time.Now().Add(-silent); silent > limit && (!ok || last.Before(since)) {
			path, since, ok = p.path, last, true
		}
	}
	return path, since, ok
}
