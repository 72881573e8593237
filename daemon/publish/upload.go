package publish

import (
	"context"
	"slices"

	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// An uploader sends the frames of one folder side by side.
type uploader struct {
	key     syncstate.Folder
	service *hosting.Service
	sent    *sentFrames
	frames  frameSender
	pauses  pauses
}

// Pauses are what a person has put off.
type pauses interface {
	// IsPaused reports whether a person has paused the folder, or all, by the time of the call.
	IsPaused(key syncstate.Folder) bool
}

// start sends frames side by side, and returns. Each is recorded as it is acknowledged, so that a
// kill repeats none of them. None takes off where it fails.
func (u uploader) start(ctx context.Context, f *flights, s plan.Scene, unsent []watcher.File) error {
	if err := fits(s.Record.Run.Form, unsent); err != nil {
		return err
	}
	frames, err := u.sent.freeze(s, unsent)
	if err != nil {
		return err
	}
	trial := u.isTrial(s.Record.Run)
	if trial {
		smallestFirst(frames)
	}
	f.begin(unsent, trial)
	go u.send(ctx, f, s, frames, trial)
	return nil
}

// smallestFirst puts the smallest frame in front.
func smallestFirst(all []frozenFrame) {
	for n := range all {
		if all[n].frame.Size < all[0].frame.Size {
			all[0], all[n] = all[n], all[0]
		}
	}
}

// send gives one frame after the other a slot, until one has failed or the folder is paused. In a
// trial the others wait for the end of the first.
func (u uploader) send(ctx context.Context, f *flights, s plan.Scene, all []frozenFrame, trial bool) {
	granted := make(chan frozenFrame)
	defer close(granted)
	for n, one := range all {
		enters := false
		var sent sending.Sent
		sent.Err = outcome.Guard(func() error {
			enters = !f.failed() && !u.pauses.IsPaused(u.key) && ctx.Err() == nil &&
				u.frames.enter(ctx) == nil
			return nil
		})
		if enters && trial && n == 0 {
			sent = u.frames.send(ctx, f, s, one, true)
			f.fail(sent.Err) // before the next frame asks
		}
		if !enters || trial && n == 0 {
			f.land(one.frame.Name, sent)
			continue
		}
		select {
		case granted <- one:
		default:
			go u.sendOneByOne(ctx, f, s, one, granted)
		}
	}
}

// sendOneByOne sends a frame, and then others as they are granted: a goroutine for each would grow
// its stack again.
func (u uploader) sendOneByOne(ctx context.Context, f *flights, s plan.Scene, first frozenFrame, granted <-chan frozenFrame) {
	for one, more := first, true; more; one, more = <-granted {
		f.land(one.frame.Name, u.frames.send(ctx, f, s, one, false))
	}
}

// learn takes in what the upload of a frame found out about it.
func (u uploader) learn(sent sending.Sent) { u.sent.learn(sent) }

// isTrial reports whether the upload host may refuse the form: the name of the access key's field
// is not known, or the form before was refused and no frame has arrived under this one. One small
// frame finds that out for all.
func (u uploader) isTrial(run *syncstate.Run) bool {
	arrived := func(f syncstate.RunFrame) bool { return f.Uploaded }
	return !u.service.AccessKeys.IsKnown(run.Form.Hostname) ||
		run.Setbacks.RefusedForms > 0 && !slices.ContainsFunc(run.Frames, arrived)
}
