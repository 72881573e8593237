// Package traffic knows what goes on on a drive: the readings under way, of which the system may
// not answer some, and the camera that writes frames, to which reading yields.
package traffic

import (
	"sync"
	"sync/atomic"
	"time"
)

// Readings lists the readings that are under way, to notice those which the system does not answer.
// A stat on a dead network drive may never return, and nothing can interrupt it.
type Readings struct {
	base time.Time // monotonic zero of the beats
	mu   sync.Mutex
	open map[*Reading]struct{}
}

// A Reading is one reading of one directory.
type Reading struct {
	path string
	last atomic.Int64 // when the system answered last, since base
}

// NewReadings is an empty list.
func NewReadings() *Readings { return &Readings{base: time.Now(), open: map[*Reading]struct{}{}} }

// Begin notes that a reading begins.
func (o *Readings) Begin(path string) *Reading {
	p := &Reading{path: path}
	o.Beat(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[p] = struct{}{}
	return p
}

// Beat notes that the system has answered.
func (o *Readings) Beat(p *Reading) { p.last.Store(int64(time.Since(o.base))) }

// End notes that a reading has ended.
func (o *Readings) End(p *Reading) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, p)
}

// During is one reading that does only one thing.
func (o *Readings) During(path string, do func() error) error {
	p := o.Begin(path)
	defer o.End(p)
	return do()
}

// Stuck gives the place and last sign of life of a reading that has been silent for longer than
// limit.
func (o *Readings) Stuck(limit time.Duration) (path string, since time.Time, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for p := range o.open {
		last := o.base.Add(time.Duration(p.last.Load()))
		if time.Since(last) > limit && (!ok || last.Before(since)) {
			path, since, ok = p.path, last, true
		}
	}
	return path, since, ok
}
