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
	ask   *inquiry
	sent  *sentFrames
	scene func() (plan.Scene, error)
	news  chan struct{} // a snapshot came while a worker had the folder
}

// uploadFrames sends frames side by side. Each is recorded as it is acknowledged, so that a kill
// repeats none of them. The frames of a set that is still being shot join in as they become still,
// so that the line never waits for the slowest.
func (u uploader) uploadFrames(ctx context.Context, s plan.Scene, next plan.Step) error {
	all := uploads{uploader: u, sender: u.sender(ctx), started: map[string]bool{}, ended: make(chan sending.Sent)}
	all.start(ctx, s, next.Frames)
	for all.underWay > 0 {
		select {
		case sent := <-all.ended:
			all.underWay--
			all.failures.Add(sent.Err)
			u.sent.learn(sent)
			if all.trial { // the frames that came during the trial may go now
				all.trial = false
				all.join(ctx)
			}
		case <-u.news:
			all.join(ctx)
		}
	}
	if err := all.failures.Worst(); err != nil {
		return u.formTrouble(s, err)
	}
	return ctx.Err()
}

func (u uploader) sender(ctx context.Context) sending.Sender {
	return sending.Sender{
		Folder: u.Folder, Service: u.Service, Throttle: u.Throttle, Slots: u.Slots, Sum: u.Display.SentBytes(u.Key),
		Stagger: func() { u.Stagger(ctx, u.Key, "") },
	}
}

// uploads are the frames of one folder on their way.
type uploads struct {
	uploader
	sender   sending.Sender
	started  map[string]bool
	open     bool // more frames are to come
	trial    bool // one frame goes ahead of all others; see isTrial
	ended    chan sending.Sent
	underWay int
	failures outcome.Failures
}

// joins reports whether more frames may be sent with those that are under way.
func (u *uploads) joins() bool { return u.open && !u.trial && !u.failures.Any() }

func (u *uploads) start(ctx context.Context, s plan.Scene, unsent []watcher.File) {
	var manifest []int
	err := fits(s.Record.Run.Form, unsent)
	if err == nil {
		manifest, err = u.sent.freeze(s, unsent)
	}
	if err != nil {
		u.failures.Add(err)
		return
	}
	for _, f := range unsent {
		u.started[f.Name] = true
	}
	u.open = s.Record.Published == nil && s.Record.Run.Images > len(s.Record.Run.Frames)
	u.underWay += len(manifest)
	if u.trial = u.isTrial(s.Record.Run); u.trial {
		smallestFirst(s.Record.Run.Frames, manifest)
	}
	go u.send(ctx, s, manifest, u.trial)
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
func (u *uploads) send(ctx context.Context, s plan.Scene, manifest []int, trial bool) {
	granted := make(chan int)
	defer close(granted)
	for n, i := range manifest {
		enters := false
		var sent sending.Sent
		sent.Err = outcome.Guard(func() error {
			enters = !u.failures.Any() && !u.Paused() && ctx.Err() == nil &&
				u.Slots.Enter(ctx, u.Key) == nil
			return nil
		})
		if enters && trial && n == 0 {
			sent = u.sendGuarded(ctx, s, i, true)
			u.failures.Add(sent.Err) // before the next frame asks
		}
		if !enters || trial && n == 0 {
			u.ended <- sent
			continue
		}
		select {
		case granted <- i:
		default:
			go u.sendOneByOne(ctx, s, i, granted)
		}
	}
}

// sendOneByOne sends a frame, and then others as they are granted: a goroutine for each would grow
// its stack again.
func (u *uploads) sendOneByOne(ctx context.Context, s plan.Scene, first int, granted <-chan int) {
	for i, more := first, true; more; i, more = <-granted {
		u.ended <- u.sendGuarded(ctx, s, i, false)
	}
}

// join starts the frames that have become still, next to those under way. A panic waits for the end
// of the uploads under way.
func (u *uploads) join(ctx context.Context) {
	u.failures.Add(outcome.Guard(func() error {
		u.startMore(ctx)
		return nil
	}))
}

// startMore does the work of join: it reads and uploads. Every other owed step waits.
func (u *uploads) startMore(ctx context.Context) {
	for ctx.Err() == nil {
		u.Snapshot = u.Neighbours.TakeLatest(u.Key, u.Snapshot)
		s, err := u.scene()
		if err != nil {
			return
		}
		s.UnderWay = u.started
		u.showFrames(s)
		if !u.joins() {
			return
		}
		switch next := plan.Next(s); {
		case next.Action == plan.Upload:
			u.Tell(next, s)
			u.start(ctx, s, next.Frames)
		case next.Need.None() || u.Read(ctx, s.Facts, next.Need) != nil:
			return
		}
	}
}

// sendGuarded sends a frame and turns a panic into its outcome.
func (u *uploads) sendGuarded(ctx context.Context, s plan.Scene, index int, trial bool) (sent sending.Sent) {
	if err := outcome.Guard(func() error {
		sent = u.sendFrame(ctx, s, index, trial)
		return nil
	}); err != nil {
		sent.Err = err
	}
	return sent
}

// sendFrame sends one frame and records it. The slot that it entered with is free as soon as the
// bytes are through.
func (u *uploads) sendFrame(ctx context.Context, s plan.Scene, index int, trial bool) (sent sending.Sent) {
	f := s.Record.Run.Frames[index]
	began := time.Now()
	err := outcome.Guard(func() error {
		u.Stagger(ctx, u.Key, f.Name)
		sent = u.sender.Send(ctx, s, f, trial)
		return sent.Err
	})
	sent.Err = err
	u.failures.Add(err) // before the slot is free: the next frame asks for a failure
	u.Slots.Leave(u.Key, hosting.Overloaded(err))
	if err != nil {
		return sent
	}
	u.Metrics.Uploaded(u.Key.Root, f.Size, time.Since(began))
	f.Digest, f.Uploaded = sent.Digest, true
	if failed := u.Records.MarkUploaded(u.Key, index, f); failed != nil {
		sent.Err = failed // the frame is sent a second time
		return sent
	}
	u.Display.FrameSent(u.Key)
	return sent
}

// isTrial reports whether the upload host may refuse the form: the name of the access key's field
// is not known, or the form before was refused and no frame has arrived under this one. One small
// frame finds that out for all.
func (u uploader) isTrial(run *syncstate.Run) bool {
	arrived := func(f syncstate.RunFrame) bool { return f.Uploaded }
	return !u.Service.AccessKeys.IsKnown(run.Form.Hostname) ||
		run.Setbacks.RefusedForms > 0 && !slices.ContainsFunc(run.Frames, arrived)
}
