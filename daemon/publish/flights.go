package publish

import (
	"context"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/watcher"
)

// Flights are the frames of one folder that are on their way. One goroutine at a time, the worker that
// has the folder, changes all but failures.
type flights struct {
	scene plan.Scene // as the first frame took off
	step  plan.Step  // the upload that began then

	aloft    map[string]bool // the frames that fly, by name
	trial    bool            // one frame flies ahead of all others; see isTrial
	landed   chan landing
	failures outcome.Failures
}

// A landing is the end of the flight of one frame. One that did not enter, because of a pause or a failure
// of another, ends without an error.
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

// upload sends frames on their way, and returns. It may be called again while they fly, for frames that
// have become still.
func (j *Job) upload(ctx context.Context, s plan.Scene, next plan.Step) error {
	if j.flights == nil {
		j.flights = newFlights(s, next)
	}
	j.flights.failures.Add(j.uploader.start(ctx, j.flights, s, next.Frames))
	return nil
}

// takeBeside takes a step beside the frames that fly: it reads, or sends more frames. It puts off any other
// step until all have landed, because another form, a finish, a delete or a move of the record must not meet
// with a frame that is still to be acknowledged.
func (j *Job) takeBeside(ctx context.Context, s plan.Scene, next plan.Step) *plan.Step {
	j.screen.showFrames(s)
	if j.flights.mayGrow() && ctx.Err() == nil {
		switch {
		case next.Action == plan.Upload:
			j.screen.show(next, s)
			_ = j.upload(ctx, s, next) // the flights have its failure
		case !next.Need.None() && j.Folder.Read(ctx, s.Facts, next.Need) == nil:
			return nil
		}
	}
	return j.whileFlying(ctx)
}

// whileFlying waits until the folder must be planned again. It returns a last step when the last frame
// has landed and the folder cannot go on.
func (j *Job) whileFlying(ctx context.Context) *plan.Step {
	if j.await() {
		return nil
	}
	return j.land(ctx)
}

// await waits until the folder may be planned otherwise: news came, or a trial is over. The end of another
// flight changes no plan. It is false once all have landed.
func (j *Job) await() bool {
	for len(j.flights.aloft) > 0 {
		select {
		case l := <-j.flights.landed:
			waited := j.flights.end(l)
			j.sent.learn(l.sent)
			if waited {
				return true
			}
		case <-j.News:
			return true
		}
	}
	return false
}

// land ends the step once all its frames have landed. The worst failure is that of the step.
func (j *Job) land(ctx context.Context) *plan.Step {
	f := j.flights
	j.flights = nil
	err := ctx.Err()
	if worst := f.failures.Worst(); worst != nil {
		err = j.forms.formTrouble(f.scene, worst)
	}
	return j.troubles.conclude(ctx, f.scene, f.step, err)
}

// bringDown waits for the frames that still fly when the work came to an early end: until then the folder
// is this worker's. After a panic no more take off.
func (j *Job) bringDown(panicked error) {
	f := j.flights
	if f == nil {
		return
	}
	f.failures.Add(panicked)
	for len(f.aloft) > 0 {
		f.end(<-f.landed)
	}
	j.flights = nil
}
