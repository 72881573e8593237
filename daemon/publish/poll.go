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

// A poller waits until the service has finished a run.
type poller struct {
	record *ledger
	ask    *requests
	giveUp time.Duration // after which a person is asked
}

// pollStatus asks once whether the run's own revision has finished.
func (po poller) pollStatus(ctx context.Context, s plan.Scene) error {
	run := s.Record.Run
	answer, err := po.ask.status(ctx, s.Record.Product.UUID)
	if err != nil {
		return po.ask.productGone(ctx, s.Record.Product.UUID, err)
	}
	done := answer.Finished() && (run.Before.Revision == nil || answer.SourceRevision != *run.Before.Revision)
	doubt := po.doubts(run, answer) || view.Beyond(run, answer)
	took := time.Since(run.FinishSent)
	err = po.record.changePatiently(func(r *syncstate.Record) {
		r.Run.Looks.Next = po.ask.nextPoll(r.Product.UUID, run.FinishSent)
		noteProgress(r.Run, view.ProgressOf(answer), doubt)
		if done {
			r.Run.Phase = syncstate.Collecting
		}
	})
	if err != nil {
		return err
	}
	po.record.checked()
	if !done && took > po.giveUp {
		stuck := &status.Cause{Kind: status.StuckProcessing, For: po.giveUp, Name: answer.ImageStatus}
		return outcome.PersonUntil(po.ask.pollForPerson(s.Record.Product.UUID, run.FinishSent), stuck)
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

// doubts reports whether the revision of a status may not be the run's own, because an earlier
// process sent the finish and never saw this revision.
func (po poller) doubts(run *syncstate.Run, status apiclient.Status) bool {
	return po.record.unchecked && (run.Seen == nil || run.Seen.Revision != status.SourceRevision)
}
