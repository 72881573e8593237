package publish

import (
	"bytes"
	"context"
	"time"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/schedule"
	"spinsync/daemon/status"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// pollStatus asks once whether the run's own revision has finished.
func (j *Job) pollStatus(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	answer, err := j.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return j.productGone(ctx, s.Record.Product.UUID, err)
	}
	done := answer.Finished() && (run.Baseline == nil || answer.SourceRevision != *run.Baseline)
	doubt := j.doubts(run, answer) || view.Beyond(run, answer)
	answered := time.Now()
	took := max(0, answered.Sub(run.FinishSent))
	learnt := done && !j.Resumed && schedule.Punctual(run.NextPoll, answered, took)
	j.Resumed = false
	err = j.updatePatiently(func(r *syncstate.Record) error {
		r.Run.Status = answer.ImageStatus
		r.Run.Polls++
		r.Run.NextPoll = j.nextPoll(r.Run)
		r.Run.Revision, r.Run.Doubt = answer.SourceRevision+1, r.Run.Doubt || doubt
		r.Run.Moved = run.Moved || run.Finishing == nil || *run.Finishing != view.ProgressOf(answer)
		if done {
			r.Run.Finished = answer.SourceRevision + 1
		}
		if learnt {
			r.Run.Took = took
		}
		return nil
	})
	if learnt {
		j.Polls.Observe(run.Images, took, run.Polls == 0)
	}
	if err == nil && !done && took > j.Poll.GiveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: j.Poll.GiveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(j.nextPoll(run), stuck)
	}
	return err
}

// collectImages reads the finished revision back. Only a list that agrees with the manifest in
// every respect is recorded as published.
func (j *Job) collectImages(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	if run.Doubt {
		return j.settleDoubt(ctx, s)
	}
	images, err := j.Service.Images(ctx, s.Record.Product.UUID)
	j.Service.Permissions.Learn(s.Record.Project.UUID, time.Now(), err)
	if err != nil {
		return j.productGone(ctx, s.Record.Product.UUID, err)
	}
	if doubt := view.Doubt(images, run); doubt != "" {
		return j.pollAgain(run, doubt)
	}
	if !run.Moved && run.Before != "" && run.Before == view.Fingerprint(images) {
		return j.distrust(run)
	}
	published := view.PublishedOf(s, images)
	j.began = run.Started
	err = j.updatePatiently(func(r *syncstate.Record) error {
		r.Published, r.Run, r.Outline, r.AsIs, r.AltIntent, r.AltLate = published, nil, "", 0, nil, nil
		return nil
	})
	j.listed = time.Now()
	return err
}

// pollAgain goes back to polling after a list that contradicts the status.
func (j *Job) pollAgain(run *syncstate.Run, doubt string) error {
	next := j.nextPoll(run)
	err := j.Update(func(r *syncstate.Record) error {
		r.Run.Finished, r.Run.NextPoll = 0, next
		r.Run.WrongLists++
		return nil
	})
	if err != nil || run.WrongLists < wrongLists {
		return err
	}
	return outcome.PersonUntil(next, &status.Cause{Kind: status.WrongList, Said: doubt})
}

// distrust handles a list of images that equals the list from before the run, although the service
// reports the run's revision as finished. Either the service has not begun yet, or the images keep
// their names. After several such lists the source files decide.
func (j *Job) distrust(run *syncstate.Run) error {
	if run.WrongLists < wrongLists {
		return j.pollAgain(run, "")
	}
	return j.Update(func(r *syncstate.Record) error { r.Run.Doubt = true; return nil })
}

// noteTouched records the new identities of files that were touched or copied over themselves.
func (j *Job) noteTouched(s plan.Scene) error {
	return j.Update(func(r *syncstate.Record) error {
		for i, f := range r.Published.Frames {
			if reading, ok := j.Readings[f.Name]; ok && bytes.Equal(reading.Digest, f.Digest) {
				r.Published.Frames[i].File = reading.File
			}
		}
		return nil
	})
}
