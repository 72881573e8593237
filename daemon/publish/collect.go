package publish

import (
	"context"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/hosting"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// pollStatus asks once whether the run's own revision has finished.
func (rn runner) pollStatus(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	answer, err := rn.ask.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return rn.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	done := answer.Finished() && (run.Before.Revision == nil || answer.SourceRevision != *run.Before.Revision)
	doubt := rn.doubts(run, answer) || view.Beyond(run, answer)
	took := time.Since(run.FinishSent)
	err = rn.updatePatiently(func(r *syncstate.Record) {
		r.Run.Looks.Next = rn.nextPoll(r.Product.UUID, run.FinishSent)
		noteProgress(r.Run, view.ProgressOf(answer), doubt)
		if done {
			r.Run.Phase = syncstate.Collecting
		}
	})
	if err != nil {
		return err
	}
	rn.Unchecked = false
	if !done && took > rn.Poll.GiveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: rn.Poll.GiveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(rn.nextPoll(s.Record.Product.UUID, run.FinishSent), stuck)
	}
	return nil
}

// noteProgress notes what a poll saw of a run. Once the service goes on, a list as before the
// run proves nothing any more. Doubt lasts until the files are compared.
func noteProgress(run *syncstate.Run, seen syncstate.Progress, doubt bool) {
	if run.Seen == nil || *run.Seen != seen {
		run.Before.Print = ""
	}
	run.Seen, run.Doubt = &seen, run.Doubt || doubt
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in
// every respect is recorded as published. A list as before the run is read again: the service may
// not have begun yet, and its source files may be ahead of its images. After the last try the files
// decide, because images may keep all their names.
func (rn runner) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	images, err := rn.ask.images(ctx, s)
	listed := rn.Service.Boot()
	if err != nil {
		return err
	}
	wrong, old := view.Doubt(images, run), view.IsFromBefore(run, images)
	_, patient := rn.lookPause(run.Looks.N + 1)
	switch {
	case old && patient, wrong != "" && !run.Doubt:
		return rn.lookAgain(wrong)
	case old, run.Doubt:
		return rn.settleDoubt(ctx, s, images)
	}
	published := view.PublishedOf(s, images)
	published.Shot, published.EmbedURL = s.Shot().Round(0).UTC(), rn.ask.embedURL(ctx, s)
	rn.began = run.Started
	err = rn.updatePatiently(func(r *syncstate.Record) {
		r.AltIntent, r.AltLate = nil, view.StillLate(r, images)
		r.Published, r.Run, r.AsIs = published, nil, 0
	})
	rn.texts.listed = listed
	if err == nil {
		rn.Metrics.Published(run.FinishSent, published.Shot, time.Now())
	}
	return err
}

// lookAgain goes back to polling after a list that is not yet that of the run.
func (rn runner) lookAgain(wrong string) error {
	var next time.Time
	var patient bool
	err := rn.Update(func(r *syncstate.Record) {
		r.Run.Phase = syncstate.Processing
		patient = r.Run.Looks.Again(time.Now(), rn.lookPause)
		next = r.Run.Looks.Next
	})
	if err != nil || patient {
		return err
	}
	return outcome.PersonUntil(next, &status.Cause{Kind: status.WrongList, Text: wrong})
}

// lookPause is the patience with lists of images: the status is asked for before each.
func (rn runner) lookPause(n int) (pause time.Duration, patient bool) {
	pause, patient = hosting.Searches(n)
	return min(pause, rn.Poll.Max), patient
}

// doubts reports whether the revision of a status may not be the run's own, because an earlier
// process sent the finish and never saw this revision.
func (rn runner) doubts(run *syncstate.Run, status apiclient.Status) bool {
	return rn.Unchecked && (run.Seen == nil || run.Seen.Revision != status.SourceRevision)
}

// settleDoubt compares the files on the service with those that were sent. If they differ, the
// folder is uploaded again.
func (rn runner) settleDoubt(ctx context.Context, s plan.Scene, images []apiclient.Image) error {
	doubt, err := view.CompareSources(ctx, rn.Service.Client, s.Record.Product.UUID, s.Record.Run, images)
	if err != nil {
		return err
	}
	if doubt == "" {
		return rn.Update(func(r *syncstate.Record) { r.Run.Doubt, r.Run.Before.Print = false, "" })
	}
	return rn.startOver(s.Record.Run, "the service finished an upload that is not from this folder: "+doubt)
}
