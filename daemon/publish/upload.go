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

// start sends frames side by side, and returns. Each is recorded as it is acknowledged, so that a kill
// repeats none of them. None takes off where it fails.
func (u uploader) start(ctx context.Context, f *flights, s plan.Scene, unsent []watcher.File) error {
	if err := fits(s.Record.Run.Form, unsent); err != nil {
		return err
	}
	manifest, err := u.sent.freeze(s, unsent)
	if err != nil {
		return err
	}
	trial := u.isTrial(s.Record.Run)
	if trial {
		smallestFirst(s.Record.Run.Frames, manifest)
	}
	f.begin(unsent, trial)
	go u.send(ctx, f, s, manifest, trial)
	return nil
}

// smallestFirst puts the smallest of the frames that the manifest names in front.
func smallestFirst(all []syncstate.RunFrame, manifest []int) {
	for n, i := range manifest {
		if all[i].Size < all[manifest[0]].Size {
			manifest[0], manifest[n] = manifest[n], manifest[0]
		}
	}
}

// send gives one frame after the other a slot, until one has failed or the folder is paused. In a
// trial the others wait for the end of the first.
func (u uploader) send(ctx context.Context, f *flights, s plan.Scene, manifest []int, trial bool) {
	granted := make(chan int)
	defer close(granted)
	for n, i := range manifest {
		enters := false
		var sent sending.Sent
		sent.Err = outcome.Guard(func() error {
			enters = !f.failures.Any() && !u.pauses.IsPaused(u.key) && ctx.Err() == nil &&
				u.frames.enter(ctx) == nil
			return nil
		})
		if enters && trial && n == 0 {
			sent = u.frames.send(ctx, f, s, i, true)
			f.failures.Add(sent.Err) // before the next frame asks
		}
		if !enters || trial && n == 0 {
			f.landed <- landing{s.Record.Run.Frames[i].Name, sent}
			continue
		}
		select {
		case granted <- i:
		default:
			go u.sendOneByOne(ctx, f, s, i, granted)
		}
	}
}

// sendOneByOne sends a frame, and then others as they are granted: a goroutine for each would grow
// its stack again.
func (u uploader) sendOneByOne(ctx context.Context, f *flights, s plan.Scene, first int, granted <-chan int) {
	for i, more := first, true; more; i, more = <-granted {
		f.landed <- landing{s.Record.Run.Frames[i].Name, u.frames.send(ctx, f, s, i, false)}
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
