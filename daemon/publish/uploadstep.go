package publish

import (
	"context"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/watcher"
)

// An uploadStep sends the frames of one folder. It only starts them: they fly on beside other
// steps.
type uploadStep struct {
	uploader    uploader
	forms       forms
	conclusions conclusions
	news        <-chan struct{} // see Job.News

	flights *flights // nil while no frame is on its way
}

// fly reports whether the step has not ended: frames are on their way, or have just landed.
func (u *uploadStep) fly() bool { return u.flights != nil }

// mayGrow reports whether more frames may take off beside those that fly. It is asked while some
// do.
func (u *uploadStep) mayGrow() bool { return u.flights.mayGrow() }

// aloft are the frames on their way, by name.
func (u *uploadStep) aloft() map[string]bool {
	if u.flights == nil {
		return nil
	}
	return u.flights.aloft
}

// start sends frames on their way, and returns. It may be called again while they fly, for frames
// that have become still.
func (u *uploadStep) start(ctx context.Context, s plan.Scene, next plan.Step) error {
	if u.flights == nil {
		u.flights = newFlights(s, next)
	}
	u.flights.fail(u.uploader.start(ctx, u.flights, s, next.Frames))
	return nil
}

// wait waits until the folder must be planned again. It returns a last step when the last frame
// has landed and the folder cannot go on.
func (u *uploadStep) wait(ctx context.Context) *plan.Step {
	if u.await() {
		return nil
	}
	return u.land(ctx)
}

// await waits until the folder may be planned otherwise: news came, or a trial is over. The end of
// another flight changes no plan. It is false once all have landed.
func (u *uploadStep) await() bool {
	for len(u.flights.aloft) > 0 {
		select {
		case l := <-u.flights.landed:
			waited := u.flights.end(l)
			u.uploader.learn(l.sent)
			if waited {
				return true
			}
		case <-u.news:
			return true
		}
	}
	return false
}

// land ends the step once all its frames have landed. The worst failure is that of the step.
func (u *uploadStep) land(ctx context.Context) *plan.Step {
	f := u.flights
	u.flights = nil
	err := ctx.Err()
	if worst := f.failures.Worst(); worst != nil {
		err = u.forms.formTrouble(f.scene, worst)
		now, unread := u.forms.record.read()
		if unread != nil {
			return new(u.forms.record.notRecorded(unread))
		}
		f.scene.Record.Run = now.Run // shown with the frames that have arrived
	}
	return u.conclusions.conclude(ctx, f.scene, f.step, err)
}

// bringDown waits for the frames that still fly when the work came to an early end: until then the
// folder is this worker's. After a panic no more take off.
func (u *uploadStep) bringDown(panicked error) {
	f := u.flights
	if f == nil {
		return
	}
	f.fail(panicked)
	for len(f.aloft) > 0 {
		f.end(<-f.landed)
	}
	u.flights = nil
}

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
func (f *flights) mayGrow() bool { return !f.trial && !f.failed() }

// fail notes a failure, from any goroutine; nil is none. No more frames take off then.
func (f *flights) fail(err error) { f.failures.Add(err) }

// failed reports whether there is a failure.
func (f *flights) failed() bool { return f.failures.Any() }

// land reports to the worker that a frame has landed, and waits until it takes that in.
func (f *flights) land(frame string, sent sending.Sent) { f.landed <- landing{frame, sent} }

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
	f.fail(l.sent.Err)
	waited, f.trial = f.trial, false
	return waited
}
