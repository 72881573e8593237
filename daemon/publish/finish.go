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
	"spinsync/watcher"
)

// finishUpload looks at the folder once more and then sends the finish request. From here on the
// run is bound and must be completed.
func (j *Job) finishUpload(ctx context.Context, s plan.Scene, planned []watcher.File) error {
	carry, before, err := j.readOldImages(ctx, s)
	if errors.Is(err, errOvertaken) {
		return j.startOver(err)
	}
	if err != nil {
		return err
	}
	marker, err := j.lookOnceMore(ctx, s, planned)
	if err != nil {
		return err
	}
	err = j.Update(func(r *syncstate.Record) error {
		r.Run.Carry, r.Run.Finishing, r.Run.Marker, r.Run.FinishSent = carry, before, marker, time.Now()
		for i := range r.Run.Frames {
			r.Run.Frames[i].Early = false // it is at rest as it was sent
		}
		return nil
	})
	if err != nil {
		return err
	}
	j.touches = nil
	return j.sendFinish(ctx, s.Record.Product.UUID)
}

// readOldImages reads the images that a reupload is about to replace, because others may have
// written on them while frames were sent. The progress of these images tells later whether a finish
// without an answer arrived.
func (j *Job) readOldImages(
	ctx context.Context, s plan.Scene,
) (carry map[string]map[string]string, before *syncstate.Progress, err error) {
	run := s.Record.Run
	if !run.Reupload {
		return run.Carry, nil, nil
	}
	images, err := j.Service.Images(ctx, s.Record.Product.UUID)
	if err != nil {
		return nil, nil, j.productGone(ctx, s.Record.Product.UUID, err)
	}
	if view.Overtaken(run, images) {
		return nil, nil, errOvertaken
	}
	if len(images) > 0 {
		before = &syncstate.Progress{Revision: images[0].SourceRevision, Status: images[0].ImageStatus}
	}
	return view.CarriedTexts(s, images), before, nil
}

var errOvertaken = errors.New("somebody else uploaded to the view meanwhile")

// lookOnceMore lists the folder anew. Its frames must be exactly the frames that were sent, and its
// marker must not have changed since the plan. It returns the marker, which from now on speaks for
// these frames alone.
func (j *Job) lookOnceMore(ctx context.Context, s plan.Scene, planned []watcher.File) (marker syncstate.File, err error) {
	now, err := j.Files.Look(ctx, j.Key.Root, j.Key.Path)
	if err != nil {
		return marker, err
	}
	marker = markerOf(now)
	seen := s
	seen.Now, seen.Snapshot = time.Now(), now
	if !now.Present || now.Err != nil || len(seen.BusyNow()) > 0 ||
		len(now.Frames) != len(planned) || !marker.Same(markerOf(s.Snapshot)) {
		return marker, outcome.ErrChanged
	}
	sent := map[string]syncstate.RunFrame{}
	for _, f := range s.Record.Run.Frames {
		sent[f.Name] = f
	}
	for _, f := range now.Frames {
		if frozen := sent[f.Name]; !frozen.Uploaded || !frozen.Same(plan.FileOf(f)) {
			return marker, outcome.ErrChanged
		}
	}
	if touched := j.touchedSince(now.Frames); len(touched) > 0 {
		return marker, errors.Join(j.readAgain(touched), outcome.ErrChanged)
	}
	return marker, nil
}

func markerOf(s watcher.Snapshot) syncstate.File {
	if s.Marker == nil {
		return syncstate.File{}
	}
	return plan.FileOf(*s.Marker)
}

func (j *Job) sendFinish(ctx context.Context, uuid string) error {
	sending, cancel := hosting.Graceful(ctx, hosting.CreateGrace)
	defer cancel()
	err := j.Service.FinishUpload(sending, uuid)
	var remote *apiclient.Error
	switch {
	case err == nil:
		return j.finishArrived()
	case errors.As(err, &remote) && !remote.MayHaveTakenEffect():
		return errors.Join(err, j.Update(func(r *syncstate.Record) error {
			r.Run.FinishSent = time.Time{}
			if remote.Status != 0 && !remote.Temporary() && !remote.Unauthorized() {
				// The service may have handed out a later form, and would close that one instead.
				r.Run.Form = nil
			}
			return nil
		}))
	}
	return err
}

func (j *Job) finishArrived() error {
	return j.updatePatiently(func(r *syncstate.Record) error {
		r.Run.FinishAcked = time.Now()
		r.Run.NextPoll = j.nextPoll(r.Run)
		return nil
	})
}

// nextPoll is the time of the run's next status request.
func (j *Job) nextPoll(run *syncstate.Run) time.Time {
	now := time.Now()
	next := now.Add(j.Polls.Pause(run.Images, now.Sub(run.FinishSent), j.Poll.Max, j.Random))
	if soonest := j.Asked.Add(j.Poll.First); next.Before(soonest) {
		return soonest
	}
	return next
}

// status asks for the product's status. It notes the time, because there is a shortest gap between
// two requests.
func (j *Job) status(ctx context.Context, product string) (apiclient.Status, error) {
	j.Asked = time.Now()
	return j.Service.Status(ctx, product)
}

// confirmFinish finds out whether a finish request without an answer arrived. It sends the request
// again only when revision, status and images have not moved.
func (j *Job) confirmFinish(ctx context.Context, s plan.Scene) error {
	uuid, run := s.Record.Product.UUID, s.Record.Run
	status, err := j.status(ctx, uuid)
	if err != nil {
		return j.productGone(ctx, uuid, err)
	}
	seen := view.ProgressOf(status)
	switch {
	case run.Finishing == nil:
		return j.confirmFirstFinish(ctx, uuid, seen)
	case *run.Finishing != seen:
		return j.finishArrived()
	case run.FinishLooks > 0:
		return j.lookForFinish(ctx, uuid, run.FinishLooks)
	}
	return j.sendFinish(ctx, uuid)
}

// confirmFirstFinish is for a product that had no images before. Listed images prove nothing: a
// service may list uploads before the finish. Progress without a second finish proves that the
// first one arrived.
func (j *Job) confirmFirstFinish(ctx context.Context, uuid string, seen syncstate.Progress) error {
	images, err := j.Service.Images(ctx, uuid)
	switch {
	case err != nil:
		return j.productGone(ctx, uuid, err)
	case len(images) == 0:
		return j.sendFinish(ctx, uuid)
	case seen.Status == apiclient.StatusFinished:
		return j.finishArrived()
	}
	if err := j.Update(func(r *syncstate.Record) error { r.Run.Finishing = &seen; return nil }); err != nil {
		return err
	}
	return j.lookForFinish(ctx, uuid, 0)
}

// lookForFinish looks again later whether the service goes on, and sends the finish once more after
// the last look. Both requests are for the same frames, so the service may take either.
func (j *Job) lookForFinish(ctx context.Context, uuid string, looks int) error {
	if looks == len(hosting.LookPauses) {
		err := j.Update(func(r *syncstate.Record) error { r.Run.Finishing, r.Run.FinishLooks = nil, 0; return nil })
		if err != nil {
			return err
		}
		return j.sendFinish(ctx, uuid)
	}
	if err := j.Update(func(r *syncstate.Record) error { r.Run.FinishLooks = looks + 1; return nil }); err != nil {
		return err
	}
	return outcome.Later(time.Now().Add(hosting.LookPauses[looks]), status.Because(status.FinishUnclear), nil)
}
