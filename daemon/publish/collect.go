package publish

import (
	"context"
	"time"

	"spinsync/apiclient"
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
	done := answer.Finished() && (run.Baseline == nil || answer.SourceRevision != *run.Baseline)
	doubt := rn.doubts(run, answer) || view.Beyond(run, answer)
	took := time.Since(run.FinishSent)
	rn.Unchecked = false
	seen := view.ProgressOf(answer)
	err = rn.updatePatiently(func(r *syncstate.Record) {
		next := rn.nextPoll(r.Product.UUID, run.FinishSent)
		r.Run.Polls = syncstate.Tries{N: run.Polls.N + 1, Next: next}
		r.Run.Seen = &seen
		r.Run.Ownership = ownershipOf(run, seen, doubt)
		if done {
			r.Run.Phase = syncstate.Collecting
		}
	})
	if err == nil && !done && took > rn.Poll.GiveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: rn.Poll.GiveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(rn.nextPoll(s.Record.Product.UUID, run.FinishSent), stuck)
	}
	return err
}

// ownershipOf is the ownership of a run after a poll. Doubt lasts until the files are compared.
func ownershipOf(run *syncstate.Run, seen syncstate.Progress, doubt bool) syncstate.Ownership {
	switch {
	case doubt || run.Ownership == syncstate.Doubtful:
		return syncstate.Doubtful
	case run.BeforeFinish == nil || *run.BeforeFinish != seen:
		return syncstate.Own
	}
	return run.Ownership
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in
// every respect is recorded as published.
func (rn runner) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	images, err := rn.ask.images(ctx, s)
	listed := rn.Service.Boot()
	if err != nil {
		return err
	}
	if run.Ownership == syncstate.Doubtful {
		return rn.settleDoubt(ctx, s, images)
	}
	if doubt := view.Doubt(images, run); doubt != "" {
		return rn.pollAgain(s, doubt)
	}
	if run.Ownership == syncstate.Unproven && run.Before != "" && run.Before == view.Fingerprint(images) {
		return rn.distrust(s)
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

// pollAgain goes back to polling after a list that contradicts the status.
func (rn runner) pollAgain(s plan.Scene, doubt string) error {
	run := s.Record.Run
	next := rn.nextPoll(s.Record.Product.UUID, run.FinishSent)
	err := rn.Update(func(r *syncstate.Record) {
		r.Run.Phase, r.Run.Polls.Next = syncstate.Processing, next
		r.Run.WrongLists++
	})
	if err != nil || run.WrongLists < wrongLists {
		return err
	}
	return outcome.PersonUntil(next, &status.Cause{Kind: status.WrongList, Said: doubt})
}

// distrust handles a list of images that equals the list from before the run, although the service
// reports the run's revision as finished. Either the service has not begun yet, or the images keep
// their names. After several such lists the source files decide.
func (rn runner) distrust(s plan.Scene) error {
	if s.Record.Run.WrongLists < wrongLists {
		return rn.pollAgain(s, "")
	}
	return rn.Update(func(r *syncstate.Record) { r.Run.Ownership = syncstate.Doubtful })
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
		return rn.Update(func(r *syncstate.Record) { r.Run.Ownership = syncstate.Own })
	}
	return rn.startOver(s.Record.Run, "the service finished an upload that is not from this folder: "+doubt)
}
