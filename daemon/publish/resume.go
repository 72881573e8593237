package publish

import (
	"context"

	"spinsync/apiclient"
	"spinsync/daemon/plan"
	"spinsync/daemon/view"
	"spinsync/syncstate"
)

// Where a whole directory was restored from a backup, nothing tells that its state file is old.
// What an earlier process began is therefore compared with the service before it goes on: nothing
// may be sent under a form that was closed since, and no other revision may pass for the run's own.

// resumeRun looks whether a run whose finish was not sent still stands. If it does not, the next
// plan begins another.
func (w runner) resumeRun(ctx context.Context, s plan.Scene) error {
	moved, err := w.movedOn(ctx, s.Record.Product.UUID, s.Record.Run)
	if err != nil {
		return err
	}
	if moved {
		return w.startOver(s.Record.Run, "the service knows a newer upload than the state file")
	}
	w.Resumed = false
	return nil
}

// movedOn reports whether the product was uploaded to since the run began.
func (w runner) movedOn(ctx context.Context, product string, run *syncstate.Run) (bool, error) {
	images, err := w.Service.Images(ctx, product)
	if err != nil {
		return false, w.notListed(ctx, product, err)
	}
	if view.Fingerprint(images) != run.Before {
		return true, nil
	}
	if run.Baseline == nil {
		return false, nil
	}
	status, err := w.status(ctx, product)
	if err != nil {
		return false, w.productGone(ctx, product, err)
	}
	// Some services raise the revision already when a reupload is announced, but it is not finished
	// then.
	return status.Finished() && status.SourceRevision != *run.Baseline, nil
}

// doubts reports whether the revision of a status may not be the run's own, because an earlier
// process sent the finish and never saw this revision.
func (w runner) doubts(run *syncstate.Run, status apiclient.Status) bool {
	return w.Resumed && (run.Seen == nil || run.Seen.Revision != status.SourceRevision)
}

// settleDoubt compares the files on the service with those that were sent. If they differ, the
// folder is uploaded again.
func (w runner) settleDoubt(ctx context.Context, s plan.Scene) error {
	doubt, err := view.CompareSources(ctx, w.Service.Client, s.Record.Product.UUID, s.Record.Run)
	if err != nil {
		return err
	}
	if doubt == "" {
		return w.Update(func(r *syncstate.Record) error { r.Run.Sign = syncstate.Moved; return nil })
	}
	return w.startOver(s.Record.Run, "the service finished an upload that is not from this folder: "+doubt)
}
