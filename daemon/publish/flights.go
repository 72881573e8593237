package publish

import (
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/watcher"
)

// Flights are the frames of one folder that are on their way. One goroutine at a time, the worker
// that has the folder, changes all but failures.
type flights struct {
	scene plan.Scene // as the first frame took off
	step  plan.Step  // the upload that began then

	aloft    map[string]bool // the frames that fly, by name
	trial    bool            // one frame flies ahead of all others; see isTrial
	landed   chan landing
	failures outcome.Failures
}

// A landing is the end of the flight of one frame. One that did not enter, because of a pause or a
// failure of another, ends without an error.
type landing struct {
	frame string
	sent  sending.Sent
}

func newFlights(s plan.Scene, upload plan.Step) *flights {
	return &flights{scene: s, step: upload, aloft: map[string]bool{}, landed: make(chan landing)}
}

// mayGrow reports whether more frames may take off while others fly.
func (f *flights) mayGrow() bool { return !f.trial && !f.failures.Any() }

// begin notes frames that take off.
func (f *flights) begin(frames []watcher.File, trial bool) {
	for _, frame := range frames {
		f.aloft[frame.Name] = true
	}
	f.trial = trial
}

// end notes that a frame has landed. It reports whether the others waited for that.
func (f *flights) end(l landing) (waited bool) {
	delete(f.aloft, l.frame)
	f.failures.Add(l.sent.Err)
	waited, f.trial = f.trial, false
	return waited
}
