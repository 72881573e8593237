package publish

import (
	"context"

	"spinsync/daemon/outcome"
	"spinsync/daemon/plan"
	"spinsync/daemon/status"
	"spinsync/syncstate"
)

// A reconciler compares a folder in doubt with the service: nothing is sent before that. A view
// that shows what is recorded stays as it is, one that shows exactly the folder's frames is
// recorded as published, and any other one gets a new upload.
type reconciler struct {
	record   *ledger
	comparer *comparer
	views    viewFinder
}

// reconcile compares a folder in doubt with its view, or searches for the view.
func (rc reconciler) reconcile(ctx context.Context, s plan.Scene) error {
	if s.Record.Product.UUID == "" {
		return rc.seek(ctx, s, nil)
	}
	err := rc.comparer.reconcileView(ctx, s)
	if outcome.Needs(err, status.ProductGone) {
		return rc.seek(ctx, s, err)
	}
	return err
}

// seek searches for the view of a folder. Where there is none, a product may be made. gone is the
// error for a product that is recorded and is not there: then a person is asked.
func (rc reconciler) seek(ctx context.Context, s plan.Scene, gone error) error {
	found, err := rc.views.find(ctx, s, gone == nil)
	switch {
	case found, err != nil:
		return err
	case gone != nil:
		return gone
	}
	return rc.record.change(func(r *syncstate.Record) {
		r.Doubted = false
		status.SetState(r, status.Queued, status.Because(status.NoView))
	})
}

// Compare takes the next step of a folder in doubt if it is the comparison. It returns the step
// with which the folder stops, and records that one as its reason. It is nil where the comparison
// is over.
func (j *Job) Compare(ctx context.Context, s plan.Scene, next plan.Step) (*plan.Step, error) {
	stop := &next
	if next.Action == plan.Reconcile {
		var err error
		if stop, err = stopOf(j.parts.reconciler.reconcile(ctx, s)); stop == nil || err != nil {
			return nil, err
		}
	}
	return stop, j.record.change(func(r *syncstate.Record) {
		r.Counts.Settled, r.Counts.Expected = s.Resting(), s.Facts.Rules.FullTurn(s.Facts.Snapshot.Frames)
		status.SetState(r, stop.State, stop.Cause)
	})
}

// stopOf is the step of a comparison that needs a person, or time. Any other failure is returned.
func stopOf(failure error) (*plan.Step, error) {
	switch o := outcome.Of(failure); {
	case o != nil && o.Kind == outcome.NeedsPerson:
		return new(plan.NeedsPerson(o.Cause)), nil
	case o != nil && o.Kind == outcome.Waits:
		return &plan.Step{Action: plan.Wait, State: status.Processing, Cause: o.Cause, Until: o.Until}, nil
	}
	return nil, failure
}
