package watcher

import (
	"sync"
	"sync/atomic"
	"time"
)

// ops lists the readings that are under way, to notice those which the system does not answer. A
// stat on a dead network drive may never return, and nothing can interrupt it.
type ops struct {
	base time.Time // monotonic zero of the beats
	mu   sync.Mutex
	open map[*op]struct{}
}

// op is one reading of one directory.
type op struct {
	path string
	last atomic.Int64 // when the system answered last, since base
}

func newOps() *ops { return &ops{base: time.Now(), open: map[*op]struct{}{}} }

func (o *ops) begin(path string) *op {
	p := &op{path: path}
	o.beat(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open[p] = struct{}{}
	return p
}

func (o *ops) beat(p *op) { p.last.Store(int64(time.Since(o.base))) }

func (o *ops) end(p *op) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.open, p)
}

// during is one reading that does only one thing.
func (o *ops) during(path string, do func() error) error {
	p := o.begin(path)
	defer o.end(p)
	return do()
}

// stuck gives the place and last sign of life of a reading that has been silent for longer than
// limit.
func (o *ops) stuck(limit time.Duration) (path string, since time.Time, ok bool) {
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
