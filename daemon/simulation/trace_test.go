package simulation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A trace is all that happened, in the time of the bubble. It names products by the order of their
// appearance, since their ids are chance.
type trace struct {
	began time.Time

	mu       sync.Mutex
	lines    []string
	happened []time.Duration // of the lines that are about no call
	last     time.Duration   // of the newest line
}

// events are the times of all that is no call.
func (r *trace) events() (times []time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.happened
}

func (r *trace) add(format string, args ...any) {
	at := time.Since(r.began)
	line := fmt.Sprintf("%9.3f  ", at.Seconds()) + fmt.Sprintf(format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines, r.last = append(r.lines, line), at
	if !strings.HasPrefix(format, "call ") {
		r.happened = append(r.happened, at)
	}
}

// alarm calls stuck when the time of the lines stands still. A daemon that is never done keeps the
// time of its bubble from moving, and would hang for ever. It must be called outside the bubble.
func (r *trace) alarm(stuck func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(stuckAfter)
		defer tick.Stop()
		for before := time.Duration(-1); ; {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			r.mu.Lock()
			now := r.last
			r.mu.Unlock()
			if now == before {
				stuck()
				return
			}
			before = now
		}
	}()
	return func() { close(done) }
}

func (r *trace) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n") + "\n"
}

// differs gives the first line, from 1 on, that is not in both. What happens at one instant has no
// order.
func (r *trace) differs(s *trace) (line int, a, b string) {
	these, those := slices.Sorted(slices.Values(r.lines)), slices.Sorted(slices.Values(s.lines))
	for i := range max(len(these), len(those)) {
		a, b := at(these, i), at(those, i)
		if a != b {
			return i + 1, a, b
		}
	}
	return 0, "", ""
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}
