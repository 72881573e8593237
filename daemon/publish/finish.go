package publish

import (
	"context"
	"errors"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// finishUpload reads the folder once more and then sends the finish request. From here on the run
// is bound and must be completed.
func (rn runner) finishUpload(ctx context.Context, s plan.Scene, next plan.Step) error {
	carry, seen, err := rn.readOldImages(ctx, s)
	if errors.Is(err, errOvertaken) {
		return rn.startOver(s.Record.Run, err.Error())
	}
	if err != nil {
		return err
	}
	marker, err := rn.sent.lookOnceMore(ctx, s, next.Frames)
	if err != nil {
		return err
	}
	err = rn.Update(func(r *syncstate.Record) {
		r.Run.Phase, r.Run.FinishSent = syncstate.Finishing, time.Now()
		r.Run.Carry, r.Run.Seen, r.Run.Marker = carry, seen, marker
	})
	if err != nil {
		return err
	}
	return rn.sendFinish(ctx, s.Record.Product.UUID)
}

// readOldImages reads the images that a reupload is about to replace, because others may have
// written on them while frames were sent. The progress of these images shows later whether a finish
// without an answer arrived.
func (rn runner) readOldImages(
	ctx context.Context, s plan.Scene,
) (carry map[string]map[string]string, seen *syncstate.Progress, err error) {
	run := s.Record.Run
	if !run.Reupload {
		return run.Carry, nil, nil
	}
	images, err := rn.ask.images(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if view.Overtaken(run, images) {
		return nil, nil, errOvertaken
	}
	if len(images) > 0 {
		seen = &syncstate.Progress{Revision: images[0].SourceRevision, Status: images[0].ImageStatus}
	}
	return view.CarriedTexts(s, images), seen, nil
}

var errOvertaken = errors.New("somebody else uploaded to the view in the meantime")

// sendFinish sends a finish whose clear refusal proves that the run is not bound: the first, or the
// one after the last check.
func (rn runner) sendFinish(ctx context.Context, uuid string) error {
	err := rn.requestFinish(ctx, uuid)
	var remote *apiclient.Error
	if !errors.As(err, &remote) || remote.MayHaveTakenEffect() {
		return err
	}
	return errors.Join(err, rn.Update(func(r *syncstate.Record) {
		r.Run.Unbind()
		if refusedForGood(remote) {
			// The service may have handed out a later form, and would close that one instead.
			r.Run.DropForm()
		}
	}))
}

// repeatFinish sends a finish that may have arrived already. A refusal proves nothing about the
// earlier finish, so the status is checked some more times before the run takes another form.
func (rn runner) repeatFinish(ctx context.Context, uuid string, seen syncstate.Progress) error {
	err := rn.requestFinish(ctx, uuid)
	if remote, ok := errors.AsType[*apiclient.Error](err); !ok || !refusedForGood(remote) {
		return err
	}
	return rn.lookForFinish(ctx, uuid, seen)
}

func refusedForGood(err *apiclient.Error) bool {
	return err.Status != 0 && !err.MayHaveTakenEffect() && !err.Temporary() && !err.Unauthorized()
}

func (rn runner) requestFinish(ctx context.Context, uuid string) error {
	sending, cancel := hosting.Graceful(ctx, hosting.AnswerGrace)
	defer cancel()
	if err := rn.Service.FinishUpload(sending, uuid); err != nil {
		return err
	}
	return rn.finishArrived()
}

// finishArrived has the run wait for the service. A finish that an earlier process sent may not be the
// one that arrived.
func (rn runner) finishArrived() error {
	rn.Slots.ForgetHeld(rn.Key)
	return rn.updatePatiently(func(r *syncstate.Record) {
		r.Run.Phase, r.Run.Doubt = syncstate.Processing, r.Run.Doubt || rn.Unchecked
		r.Run.Looks = syncstate.Tries{Next: rn.nextPoll(r.Product.UUID, r.Run.FinishSent)}
	})
}

// confirmFinish finds out whether a finish request without an answer arrived. It sends the request
// again only when revision, status and images have not moved.
func (rn runner) confirmFinish(ctx context.Context, s plan.Scene) error {
	uuid, run := s.Record.Product.UUID, s.Record.Run
	status, err := rn.ask.status(ctx, uuid)
	if err != nil {
		return rn.ask.productGone(ctx, uuid, err)
	}
	seen := view.ProgressOf(status)
	switch {
	case run.Seen == nil:
		return rn.confirmFirstFinish(ctx, s, seen)
	case *run.Seen != seen:
		return rn.finishArrived()
	case run.Looks.N > 0:
		return rn.lookForFinish(ctx, uuid, seen)
	}
	return rn.repeatFinish(ctx, uuid, seen)
}

// confirmFirstFinish is for a product that had no images before. Listed images prove nothing: a
// service may list uploads before the finish. Progress without a second finish proves that the
// first one arrived.
func (rn runner) confirmFirstFinish(ctx context.Context, s plan.Scene, seen syncstate.Progress) error {
	uuid := s.Record.Product.UUID
	images, err := rn.ask.images(ctx, s)
	switch {
	case err != nil:
		return err
	case len(images) == 0:
		return rn.repeatFinish(ctx, uuid, seen)
	case seen.Status == apiclient.StatusFinished:
		return rn.finishArrived()
	}
	return rn.lookForFinish(ctx, uuid, seen)
}

// lookForFinish checks again later whether the service goes on, and sends the finish once more
// after the last check. Both requests are for the same frames, so the service may take either.
func (rn runner) lookForFinish(ctx context.Context, uuid string, seen syncstate.Progress) error {
	var next time.Time
	var patient bool
	err := rn.Update(func(r *syncstate.Record) {
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
		return rn.sendFinish(ctx, uuid)
	}
	return outcome.Later(next, status.Because(status.FinishUnclear), nil)
}
