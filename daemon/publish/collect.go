package publish

import (
	"context"
	"time"

	"spinsync/apiclient"
	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// pollStatus asks once whether the run's own revision has finished.
func (w runner) pollStatus(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	answer, err := w.ask.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return w.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	done := answer.Finished() && (run.Baseline == nil || answer.SourceRevision != *run.Baseline)
	if !done && s.Record.Unreconciled && !w.ask.waitsForForeign(s.Record.Product.UUID, answer.SourceRevision) {
		return w.Update(func(r *syncstate.Record) { r.Run = OwedRun(run) }) // and compared
	}
	doubt := w.doubts(run, answer) || view.Beyond(run, answer)
	answered := time.Now()
	took := max(0, answered.Sub(run.FinishSent))
	learnt := done && !w.Unchecked && schedule.Punctual(run.Polls.Next, answered, took)
	w.Unchecked = false
	seen := view.ProgressOf(answer)
	err = w.updatePatiently(func(r *syncstate.Record) {
		r.Run.Polls = syncstate.Tries{N: run.Polls.N + 1, Next: w.ask.nextPoll(run.Images, run.FinishSent)}
		r.Run.Seen = &seen
		r.Run.Ownership = ownershipOf(run, seen, doubt)
		if done {
			r.Run.Phase = syncstate.Collecting
		}
		if learnt {
			r.Run.Took = took
		}
	})
	if learnt {
		w.Polls.Observe(run.Images, took, run.Polls.N == 0)
	}
	if err == nil && !done && took > w.Poll.GiveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: w.Poll.GiveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(w.ask.nextPoll(run.Images, run.FinishSent), stuck)
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
func (w runner) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	images, err := w.Service.Images(ctx, s.Record.Product.UUID)
	w.Service.Permissions.Learn(s.Record.Project.UUID, time.Now(), err)
	if err != nil {
		return w.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	if run.Ownership == syncstate.Doubtful {
		return w.settleDoubt(ctx, s, images)
	}
	if doubt := view.Doubt(images, run); doubt != "" {
		return w.pollAgain(run, doubt)
	}
	if run.Ownership == syncstate.Unproven && run.Before != "" && run.Before == view.Fingerprint(images) {
		return w.distrust(run)
	}
	published := view.PublishedOf(s, images)
	w.began = run.Started
	err = w.updatePatiently(func(r *syncstate.Record) {
		r.Published, r.Run, r.AskedFor, r.AsIs, r.AltIntent, r.AltLate = published, nil, "", 0, nil, nil
	})
	w.texts.listed = time.Now()
	return err
}

// pollAgain goes back to polling after a list that contradicts the status.
func (w runner) pollAgain(run *syncstate.Run, doubt string) error {
	next := w.ask.nextPoll(run.Images, run.FinishSent)
	err := w.Update(func(r *syncstate.Record) {
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
func (w runner) distrust(run *syncstate.Run) error {
	if run.WrongLists < wrongLists {
		return w.pollAgain(run, "")
	}
	return w.Update(func(r *syncstate.Record) { r.Run.Ownership = syncstate.Doubtful })
}

// doubts reports whether the revision of a status may not be the run's own, because an earlier
// process sent the finish and never saw this revision.
func (w runner) doubts(run *syncstate.Run, status apiclient.Status) bool {
	return w.Unchecked && (run.Seen == nil || run.Seen.Revision != status.SourceRevision)
}

// settleDoubt compares the files on the service with those that were sent. If they differ, the
// folder is uploaded again.
func (w runner) settleDoubt(ctx context.Context, s plan.Scene, images []apiclient.Image) error {
	doubt, err := view.CompareSources(ctx, w.Service.Client, s.Record.Product.UUID, s.Record.Run, images)
	if err != nil {
		return err
	}
	if doubt == "" {
		return w.Update(func(r *syncstate.Record) { r.Run.Ownership = syncstate.Own })
	}
	return w.startOver(s.Record.Run, "the service finished an upload that is not from this folder: "+doubt)
}
