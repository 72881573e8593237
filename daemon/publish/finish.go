package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// A finisher sends the finish of one folder's runs, and finds out whether it arrived.
type finisher struct {
	record  *ledger
	ask     *requests
	sent    *sentFrames
	starter starter
	slots   *schedule.Slots
}

// finishUpload reads the folder once more and then sends the finish request. From here on the run
// is bound and must be completed.
func (fi finisher) finishUpload(ctx context.Context, s plan.Scene, next plan.Step) error {
	old, err := fi.readOldImages(ctx, s)
	if errors.Is(err, errOvertaken) {
		return fi.starter.startOver(s.Record.Run, err.Error())
	}
	if err != nil {
		return err
	}
	marker, err := fi.sent.lookOnceMore(ctx, s, next.Frames)
	if err != nil {
		return err
	}
	err = fi.record.change(func(r *syncstate.Record) {
		r.Run.Phase, r.Run.FinishSent = syncstate.Finishing, time.Now()
		r.Run.Before.Frames, r.Run.Seen, r.Run.Marker = old.frames, old.seen, marker
		r.Run.Doubt = r.Run.Doubt || old.doubt
	})
	if err != nil {
		return err
	}
	return fi.sendFinish(ctx, s.Record.Product.UUID)
}

// oldImages are those that a product shows just before the finish.
type oldImages struct {
	frames []syncstate.Frame
	seen   *syncstate.Progress
	doubt  bool // they may be those of somebody else's upload, which the service would finish in place of ours
}

// readOldImages reads the images that a reupload is about to replace, because others may have
// written on them, or uploaded, while frames were sent. The progress of these images shows later
// whether a finish without an answer arrived.
func (fi finisher) readOldImages(ctx context.Context, s plan.Scene) (old oldImages, err error) {
	run := s.Record.Run
	if !run.Reupload {
		return oldImages{frames: run.Before.Frames}, nil
	}
	images, err := fi.ask.images(ctx, s)
	if err != nil {
		return old, err
	}
	overtaken, doubt := view.Overtaken(run, images)
	if overtaken {
		return old, errOvertaken
	}
	if len(images) > 0 {
		old.seen = &syncstate.Progress{Revision: images[0].SourceRevision, Status: images[0].ImageStatus}
	}
	old.frames, old.doubt = view.FramesBefore(s, images), doubt
	return old, nil
}

var errOvertaken = errors.New("somebody else uploaded to the view in the meantime")

// sendFinish sends a finish whose clear refusal proves that the run is not bound: the first, or the
// one after the last check. A form whose finish is refused for good is given up: the service may
// have handed out a later one, and would close that one instead. Where it refuses one form after
// the other, a person is asked.
func (fi finisher) sendFinish(ctx context.Context, uuid string) error {
	err := fi.requestFinish(ctx, uuid)
	var remote *apiclient.Error
	if !errors.As(err, &remote) || remote.MayHaveTakenEffect() {
		return err
	}
	forGood, refused := refusedForGood(remote), 0
	failure := fi.record.change(func(r *syncstate.Record) {
		r.Run.Unbind()
		if forGood {
			r.Run.DropForm()
			r.Run.Setbacks.RefusedForms++
			refused = r.Run.Setbacks.RefusedForms
		}
	})
	if failure != nil || refused < hosting.Refusals {
		return errors.Join(err, failure)
	}
	why := outcome.ForGood(outcome.Explain(err, "").Cause())
	return outcome.Person(why).WithDetail(outcome.DetailOf(err))
}

// repeatFinish sends a finish that may have arrived already. A refusal proves nothing about the
// earlier finish, so the status is checked some more times before the run takes another form.
func (fi finisher) repeatFinish(ctx context.Context, uuid string, seen syncstate.Progress) error {
	err := fi.requestFinish(ctx, uuid)
	if remote, ok := errors.AsType[*apiclient.Error](err); !ok || !refusedForGood(remote) {
		return err
	}
	return fi.lookForFinish(ctx, uuid, seen)
}

func refusedForGood(err *apiclient.Error) bool {
	return err.Status != 0 && !err.MayHaveTakenEffect() && !err.Temporary() && !err.Unauthorized()
}

func (fi finisher) requestFinish(ctx context.Context, uuid string) error {
	if err := fi.ask.finish(ctx, uuid); err != nil {
		return err
	}
	return fi.finishArrived()
}

// finishArrived has the run wait for the service. A finish that an earlier process sent may not be
// the one that arrived.
func (fi finisher) finishArrived() error {
	fi.slots.ForgetHeld(fi.record.key)
	return fi.record.changePatiently(func(r *syncstate.Record) {
		r.Run.Phase, r.Run.Doubt = syncstate.Processing, r.Run.Doubt || fi.record.unchecked
		r.Run.Looks = syncstate.Tries{Next: fi.ask.nextPoll(r.Product.UUID, r.Run.FinishSent)}
	})
}

// confirmFinish finds out whether a finish request without an answer arrived. It sends the request
// again only when revision, status and images have not moved.
func (fi finisher) confirmFinish(ctx context.Context, s plan.Scene) error {
	uuid, run := s.Record.Product.UUID, s.Record.Run
	status, err := fi.ask.status(ctx, uuid)
	if err != nil {
		return fi.ask.productGone(ctx, uuid, err)
	}
	seen := view.ProgressOf(status)
	switch {
	case run.Seen == nil:
		return fi.confirmFirstFinish(ctx, s, seen)
	case *run.Seen != seen:
		return fi.finishArrived()
	}
	if err := fi.readTextsAgain(ctx, s); err != nil {
		return err
	}
	if run.Looks.N > 0 {
		return fi.lookForFinish(ctx, uuid, seen)
	}
	return fi.repeatFinish(ctx, uuid, seen)
}

// readTextsAgain reads the images that a repeated finish replaces: others may have written on them
// since the first one was sent, which may be long ago. Images that moved may be those that it made.
func (fi finisher) readTextsAgain(ctx context.Context, s plan.Scene) error {
	old, err := fi.readOldImages(ctx, s)
	if err != nil && !errors.Is(err, errOvertaken) {
		return err
	}
	if old.doubt || old.seen == nil || *old.seen != *s.Record.Run.Seen {
		return nil
	}
	return fi.record.change(func(r *syncstate.Record) { r.Run.Before.Frames = old.frames })
}

// confirmFirstFinish is for a product that had no images before. Listed images prove nothing: a
// service may list uploads before the finish. Progress without a second finish proves that the
// first one arrived.
func (fi finisher) confirmFirstFinish(ctx context.Context, s plan.Scene, seen syncstate.Progress) error {
	uuid := s.Record.Product.UUID
	images, err := fi.ask.images(ctx, s)
	switch {
	case err != nil:
		return err
	case len(images) == 0:
		return fi.repeatFinish(ctx, uuid, seen)
	case seen.Status == apiclient.StatusFinished:
		return fi.finishArrived()
	}
	return fi.lookForFinish(ctx, uuid, seen)
}

// lookForFinish checks again later whether the service goes on, and sends the finish once more
// after the last check. Both requests are for the same frames, so the service may take either.
func (fi finisher) lookForFinish(ctx context.Context, uuid string, seen syncstate.Progress) error {
	var next time.Time
	var patient bool
	err := fi.record.change(func(r *syncstate.Record) {
		r.Run.Seen = &seen
		patient = r.Run.Looks.Again(time.Now(), hosting.Searches)
		next = r.Run.Looks.Next
		if !patient {
			r.Run.Looks = syncstate.Tries{}
		}
	})
	switch {
	case err != nil:
		return err
	case !patient:
		return fi.sendFinish(ctx, uuid)
	}
	return outcome.Later(next, status.Because(status.FinishUnclear), nil)
}
