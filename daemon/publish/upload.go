package publish

import (
	"context"
	"slices"
	"time"

	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/sending"
	"spinsync/syncstate"
	"spinsync/watcher"
)

// An uploader sends the frames of one folder side by side.
type uploader struct {
	*ledger
	sent *sentFrames
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
			enters = !f.failures.Any() && !u.Paused() && ctx.Err() == nil &&
				u.Slots.Enter(ctx, u.Key) == nil
			return nil
		})
		if enters && trial && n == 0 {
			sent = u.sendFrame(ctx, f, s, i, true)
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
		f.landed <- landing{s.Record.Run.Frames[i].Name, u.sendFrame(ctx, f, s, i, false)}
	}
}

// sendFrame sends one frame and records it. The slot that it entered with is free as soon as the
// bytes are through. A panic is the frame's failure.
func (u uploader) sendFrame(
	ctx context.Context, f *flights, s plan.Scene, index int, trial bool,
) (sent sending.Sent) {
	frame, began := s.Record.Run.Frames[index], time.Now()
	err := outcome.Guard(func() error {
		u.Stagger(ctx, u.Key, frame.Name)
		sent = u.sender(ctx).Send(ctx, s, frame, trial)
		return sent.Err
	})
	f.failures.Add(err) // before the slot is free: the next frame asks for a failure
	u.Slots.Leave(u.Key, hosting.Overloaded(err))
	if err == nil {
		err = outcome.Guard(func() error {
			u.Metrics.Uploaded(u.Key.Root, frame.Size, time.Since(began))
			frame.Digest, frame.Uploaded = sent.Digest, true
			if err := u.Records.MarkUploaded(u.Key, index, frame); err != nil {
				return err // the frame is sent a second time
			}
			u.Display.FrameSent(u.Key)
			return nil
		})
	}
	sent.Err = err
	return sent
}

func (u uploader) sender(ctx context.Context) sending.Sender {
	return sending.Sender{
		Folder: u.Folder, Service: u.Service, Throttle: u.Throttle, Slots: u.Slots, Sum: u.Display.SentBytes(u.Key),
		Stagger: func() { u.Stagger(ctx, u.Key, "") },
	}
}

// isTrial reports whether the upload host may refuse the form: the name of the access key's field
// is not known, or the form before was refused and no frame has arrived under this one. One small
// frame finds that out for all.
func (u uploader) isTrial(run *syncstate.Run) bool {
	arrived := func(f syncstate.RunFrame) bool { return f.Uploaded }
	return !u.Service.AccessKeys.IsKnown(run.Form.Hostname) ||
		run.Setbacks.RefusedForms > 0 && !slices.ContainsFunc(run.Frames, arrived)
}
