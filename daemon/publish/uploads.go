package publish

import (
	"context"

	"spinsync/daemon/plan"
)

// Uploads are the upload step of one folder, which only starts frames: they fly on beside other
// steps.
type uploads struct {
	uploader uploader
	forms    forms
	troubles troubles
	news     <-chan struct{} // see Job.News

	flights *flights // nil while no frame is on its way
}

// fly reports whether the step has not ended: frames are on their way, or have just landed.
func (u *uploads) fly() bool { return u.flights != nil }

// mayGrow reports whether more frames may take off beside those that fly.
func (u *uploads) mayGrow() bool { return u.flights.mayGrow() }

// aloft are the frames on their way, by name.
func (u *uploads) aloft() map[string]bool {
	if u.flights == nil {
		return nil
	}
	return u.flights.aloft
}

// upload sends frames on their way, and returns. It may be called again while they fly, for frames
// that have become still.
func (u *uploads) upload(ctx context.Context, s plan.Scene, next plan.Step) error {
	if u.flights == nil {
		u.flights = newFlights(s, next)
	}
	u.flights.failures.Add(u.uploader.start(ctx, u.flights, s, next.Frames))
	return nil
}

// wait waits until the folder must be planned again. It returns a last step when the last frame
// has landed and the folder cannot go on.
func (u *uploads) wait(ctx context.Context) *plan.Step {
	if u.await() {
		return nil
	}
	return u.land(ctx)
}

// await waits until the folder may be planned otherwise: news came, or a trial is over. The end of
// another flight changes no plan. It is false once all have landed.
func (u *uploads) await() bool {
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
func (u *uploads) land(ctx context.Context) *plan.Step {
	f := u.flights
	u.flights = nil
	err := ctx.Err()
	if worst := f.failures.Worst(); worst != nil {
		err = u.forms.formTrouble(f.scene, worst)
	}
	return u.troubles.conclude(ctx, f.scene, f.step, err)
}

// bringDown waits for the frames that still fly when the work came to an early end: until then the
// folder is this worker's. After a panic no more take off.
func (u *uploads) bringDown(panicked error) {
	f := u.flights
	if f == nil {
		return
	}
	f.failures.Add(panicked)
	for len(f.aloft) > 0 {
		f.end(<-f.landed)
	}
	u.flights = nil
}
